# The Animal Store in a container. How to run it: docs/deployment.md.
# The tag names one version; for identical bytes at each build, append @sha256:… in both places.
FROM node:26.10.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/fastify/package.json ./packages/fastify/
COPY packages/formats/package.json ./packages/formats/
# The image has Node.js, so the optional one is omitted; the other workspaces are for clients and CI.
RUN npm ci --omit=dev --omit=optional --workspace=packages/fastify --ignore-scripts --no-audit --no-fund
RUN mkdir data cache

FROM node:26.10.0-trixie-slim
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Animal Store" \
  org.opencontainers.image.description="A contract-first HTTP JSON service" \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# A new volume takes its owner from this folder.
COPY --from=dependencies --chown=1000:1000 /app/data ./data
COPY --from=dependencies --chown=1000:1000 /app/cache ./cache
COPY package.json LICENSE ./
COPY openapi/petstore.yaml ./openapi/
COPY generated ./generated
COPY packages/sources.js ./packages/
COPY packages/fastify ./packages/fastify
COPY packages/formats ./packages/formats
COPY src ./src
# SHUTDOWN_TIMEOUT: docker stop kills after 10 s.
ENV NODE_ENV=production NODE_COMPILE_CACHE=cache HOST=0.0.0.0 PORT=3000 OPERATOR_PORT=3001 SHUTDOWN_TIMEOUT=8
# As a number, so that Kubernetes can see that it is not root; "node" in the image.
USER 1000:1000
# Caches what a start and a health check compile. Then both fail: there is no key, no such address, and no service.
RUN DATABASE_URL=sqlite::memory: HOST=192.0.2.1 node src/main.js server 2> /dev/null; node src/main.js ready 2> /dev/null; ls cache/*
# Only this has to be written; the rest may be mounted read-only.
VOLUME /app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "src/main.js", "ready"]
CMD ["node", "--min-semi-space-size=8", "--max-semi-space-size=8", "--max-old-space-size=512", "src/main.js", "server"]
