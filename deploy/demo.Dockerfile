# The demo in a container, on top of the image of the service: docs/frontend.md.
ARG SERVICE=animal-store
FROM ${SERVICE}
COPY scripts ./scripts
HEALTHCHECK NONE
CMD ["node", "--import", "./packages/sources.js", "scripts/demo.ts"]
