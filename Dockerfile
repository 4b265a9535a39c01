# Landbridge as a container image: built with npm, run by Node.js alone. The runtime has no shell, no package manager and no
# npm; it runs as nobody in particular, and writes nothing but what is mounted for it.
#
#   docker build -t landbridge .
#   docker run --rm --read-only -p 127.0.0.1:3333:3333 landbridge serve --allow-unauthenticated     (the samples, for a look)
#
# BASE is any image with Node.js 20.18 or later and npm, of Debian's kind or Alpine's. RUNTIME is what the result stands on:
# nothing at all, or an image of your own house (a hardened one, one with its certificates) with the same C library.
# Behind a company's proxy: --secret id=npmrc,src=$HOME/.npmrc and --secret id=ca,src=company-ca.pem; neither is kept.
ARG BASE=node:22-bookworm-slim
ARG RUNTIME=scratch

FROM ${BASE} AS build
WORKDIR /build
# The packages change less often than the code: this layer is made anew only when the lock file is.
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc,required=false \
    --mount=type=secret,id=ca,target=/run/secrets/ca,required=false \
    if [ -f /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi; \
    npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/bundle.ts scripts/assemble.ts scripts/
COPY sample sample
COPY src src
RUN npm run --silent build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# What the program needs of an operating system, in a folder: Node.js, the libraries it is linked with and those that look up
# names, certificates, a name for the user, a place for temporary files.
FROM build AS root
WORKDIR /root-of-image
COPY deploy/docker/collect-root.sh /usr/local/bin/collect-root
RUN sh /usr/local/bin/collect-root /root-of-image

FROM ${RUNTIME}
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Landbridge" \
      org.opencontainers.image.description="REST APIs as MCP tools: strictly validated, guarded and fast." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=root /root-of-image /
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
COPY package.json LICENSE .env.example /app/
COPY domains /app/domains
COPY openapi /app/openapi
COPY docs/schemas /app/docs/schemas
# 0.0.0.0: nobody outside a container reaches its loopback. Without keys or tokens the gateway then refuses to start.
ENV HOST=0.0.0.0 \
    PORT=3333 \
    NODE_ENV=production
# landbridge.yaml, domains/ and openapi/ are mounted here, read-only; an audit trail and its key in /var/lib/landbridge.
WORKDIR /etc/landbridge
USER 65532:65532
EXPOSE 3333
STOPSIGNAL SIGTERM
# One start of Node.js every half minute; --live, because an engine replaces what is not alive, and draining is.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["/usr/local/bin/node", "/app/dist/cli/main.js", "health", "--live"]
# No shell in between: Node.js is process 1 and gets the signals.
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/cli/main.js"]
CMD ["serve"]
