// The tests of the operations, run on PostgreSQL.
process.env.TEST_STORE = 'postgres'
for (const name of ['create-pet', 'get-pet', 'list-pets', 'properties']) await import(`./${name}.test.ts`)
