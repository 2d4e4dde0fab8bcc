# Builds and unit-tests the toolbox; the last stage holds nothing but it, to be
# taken from:
#
#	COPY --from=srt /bin/ /usr/local/bin/
#
# The script, srt, wants a /bin/sh where it goes; the other commands nothing.

ARG BASE=debian:12

FROM ${BASE} AS build
WORKDIR /src
# What seldom changes comes first, each with the least it needs.
COPY t/packages t/
RUN t/packages build unit
COPY lib/musl-deps lib/
RUN lib/musl-deps libs .cache/musl
COPY . .
RUN make -s -j2 all drivers && make -s unit && \
	make -s install DESTDIR=/out PREFIX=

FROM scratch
COPY --from=build /out/bin/ /bin/
