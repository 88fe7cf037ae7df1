# A host with its games, run without Go and as a user without privileges.
#
#   docker build -t colosseum .
#   docker run -p 8088:8088 -v colosseum:/data --ulimit nofile=65536 colosseum

FROM golang:1.26 AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go run ./release -stage /colosseum && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /colosseum /colosseum
COPY --from=build --chown=nonroot:nonroot /data /data
VOLUME /data
EXPOSE 8088 9088
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=1m --retries=3 CMD ["/colosseum/host", "health", "--config", "/colosseum/configs/container.yaml"]
ENTRYPOINT ["/colosseum/host", "--config", "/colosseum/configs/container.yaml"]
