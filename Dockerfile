# The image of workers and of every other command. Build it from a checkout: docker build -t protosmith .
# docs/operations.md#containers says which layers of the sandbox a container allows.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY . .
# Without the workspace, which would bring a second Node.
RUN npm ci --no-workspaces --no-audit --no-fund && node scripts/build.ts

FROM node:24-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY bin/check-node.cjs bin/
COPY scripts/node/package.json scripts/node/
RUN npm ci --omit=dev --no-workspaces --no-audit --no-fund

FROM node:24-trixie-slim
# bubblewrap: the strongest level of the sandbox, where the container allows it. tini: reaps the processes of dead cells.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap tini \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/examples examples
COPY --from=build /build/fixtures/completions fixtures/completions
COPY --from=build /build/fixtures/examples fixtures/examples
COPY --from=build /build/queues/*.json queues/
COPY --from=build /build/queues/publish-outcome.lua queues/
RUN ln -s /app/bin/protosmith.mjs /usr/local/bin/protosmith
USER node
# PROTOSMITH_PORT opens it.
EXPOSE 9100
ENTRYPOINT ["tini", "--", "protosmith"]
CMD ["worker"]
