#!/bin/sh
# Puts into a folder what Node.js needs to run there as the root file system, and nothing else: `collect-root.sh <folder>`.
# Run by the Dockerfile in its build stage; Debian's and Alpine's kind of system both have ldd.
set -eu
into="$1"

# Follows links, so that the file is there under the name that it is looked for with.
take() {
  mkdir -p "$into$(dirname "$1")"
  cp -L "$1" "$into$1"
}

node="$(command -v node)"
mkdir -p "$into/usr/local/bin"
cp -L "$node" "$into/usr/local/bin/node"
chmod 755 "$into/usr/local/bin/node"

# `libm.so.6 => /lib/… (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`.
for library in $(ldd "$node" | sed -n 's/^.*=> \(\/[^ ]*\).*$/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (0x.*$/\1/p' | sort -u); do
  take "$library"
done
# The C library opens these by name when a host name is looked up; none of them is in what ldd says. Alpine has them built in.
libc="$(ldd "$node" | sed -n 's/^.*libc\.so\.6 => \(\/[^ ]*\).*$/\1/p')"
if [ -n "$libc" ]; then
  for library in "$(dirname "$libc")"/libnss_files.so.2 "$(dirname "$libc")"/libnss_dns.so.2 "$(dirname "$libc")"/libresolv.so.2; do
    if [ -e "$library" ]; then take "$library"; fi
  done
fi

# Node.js brings certificates of its own; these are for NODE_OPTIONS=--use-openssl-ca and for whoever mounts more.
for file in /etc/ssl/certs/ca-certificates.crt /etc/os-release; do
  if [ -e "$file" ]; then take "$file"; fi
done

mkdir -p "$into/etc" "$into/etc/landbridge" "$into/var/lib/landbridge" "$into/tmp"
printf 'root:x:0:0:root:/:/nologin\nlandbridge:x:65532:65532:Landbridge:/var/lib/landbridge:/nologin\n' > "$into/etc/passwd"
printf 'root:x:0:\nlandbridge:x:65532:\n' > "$into/etc/group"
printf 'hosts: files dns\n' > "$into/etc/nsswitch.conf"
chmod 1777 "$into/tmp"
chown 65532:65532 "$into/var/lib/landbridge"
