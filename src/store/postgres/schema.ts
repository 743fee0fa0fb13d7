import { engineTables, type PostgresSchema, postgresTables } from '@contract-first/fastify'
import { definitions, type Tables } from '../animal-store.ts'

const migrations = [
  // The bound is what a JavaScript number holds exactly. An identity column without a cache: ids only grow.
  // The index serves `(status, id) > (…, …) ORDER BY status, id` without sorting.
  `CREATE TABLE pets (
     id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
     name text NOT NULL,
     category_id bigint NOT NULL,
     status text NOT NULL
   );
   CREATE INDEX pets_by_status ON pets (status, id);
   ${engineTables}`
]

/** The tables of the Animal Store in PostgreSQL. */
export const animalPostgresSchema: PostgresSchema<Tables> = {
  // 'AnSt'
  applicationId: 0x416e5374,
  migrations,
  tables: access => postgresTables(access, definitions)
}
