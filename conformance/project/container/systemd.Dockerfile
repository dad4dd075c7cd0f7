# A Debian with systemd, in which the package is installed as a user would.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends systemd
COPY stator.deb /root/
RUN apt-get install -y --no-install-recommends /root/stator.deb
ENTRYPOINT ["/lib/systemd/systemd"]
