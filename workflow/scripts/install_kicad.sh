#!/bin/sh
# Install KiCad's command-line tool into a private folder, without touching the
# host's packages: resolve Debian's `kicad` in an isolated apt, unpack the .debs
# (no maintainer scripts run), and start it through that folder's own loader.
# Needs apt, dpkg-deb, an amd64 host and 0.7 GB of disk; root is not needed.
#
# The last line on stdout ends with the command's path; everything else that is
# worth a line comes before it or goes to stderr. A second call changes nothing.
#
#   install_kicad.sh [PREFIX] [WRAPPER]
#     PREFIX   where the files go     (default /opt/kicad; ~/.local/opt/kicad if not root)
#     WRAPPER  the command to create  (default /usr/local/bin/kicad-cli; ~/.local/bin/kicad-cli)
#   KICAD_SUITES   Debian suites to try in turn           (default "forky sid")
#   KICAD_VERSION  start of the versions that are accepted  (default 10.0.)
#   KICAD_EXTRA    more packages to unpack, e.g. kicad-demos
#   DEBIAN_MIRROR  a Debian archive's address   (default: the first in the host's apt sources)
set -eu

fail() { echo "install_kicad.sh: $*" >&2; exit 1; }

if [ "$(id -u)" = 0 ]; then base=/opt bin=/usr/local/bin; else base=${HOME:?}/.local/opt bin=$HOME/.local/bin; fi
prefix=${1:-$base/kicad}
wrapper=${2:-$bin/kicad-cli}
# The archive: DEBIAN_MIRROR, else the first one in the host's own apt sources.
mirror=${DEBIAN_MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -nE 's#^(URIs:|deb( \[[^]]*\])?) *([^ ]*/debian)/?( .*)?$#\3#p' | head -n 1)}
want=${KICAD_VERSION:-10.0.}
packages="kicad ${KICAD_EXTRA:-}"
triplet=x86_64-linux-gnu

if [ -f "$prefix/.complete" ] && [ "$(cat "$prefix/.packages")" = "$packages" ]; then
    got=$("$wrapper" version 2>/dev/null) || got=
    case $got in "$want"*) echo "kicad-cli $got is already installed: $wrapper"; exit 0 ;; esac
fi

elsewhere="install KiCad ${want}x in another way and name its kicad-cli in COPPERBENCH_KICAD_CLI"
for tool in apt-get apt-cache dpkg-deb; do
    command -v "$tool" > /dev/null || fail "this host has no $tool: $elsewhere"
done
[ "$(uname -m)" = x86_64 ] || fail "only amd64 hosts are served, not $(uname -m): $elsewhere"
[ -n "$mirror" ] || fail "no Debian archive in this host's apt sources: set DEBIAN_MIRROR, or $elsewhere"

work=$(mktemp -d "${TMPDIR:-/tmp}/kicad-install.XXXXXX")
new=$prefix.new.$$
trap 'rm -rf "$work" "$new"' EXIT
trap 'exit 1' INT TERM

# 1. An apt of our own. Its package status is empty, so it resolves the whole
#    closure. Check-Valid-Until is off because the Release files of a mirror
#    that is frozen for a while expire; signatures and hashes are still checked.
mkdir -p "$work/etc/apt.conf.d" "$work/etc/preferences.d" "$work/etc/sources.list.d" \
         "$work/state/lists/partial" "$work/cache/archives/partial"
: > "$work/status"
cat > "$work/apt.conf" <<CONF
Dir "$work";
Dir::Etc "etc";
Dir::State "state";
Dir::State::status "$work/status";
Dir::Cache "cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
CONF
export APT_CONFIG="$work/apt.conf"

version=
for suite in ${KICAD_SUITES:-forky sid}; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$work/etc/sources.list"
    apt-get -qq update || continue
    version=$(apt-cache policy kicad | sed -n 's/^ *Candidate: //p')
    case $version in "$want"*) break ;; *) version= ;; esac
done
[ -n "$version" ] || fail "no suite of '${KICAD_SUITES:-forky sid}' has kicad $want*: set KICAD_SUITES, or $elsewhere"

# 2. Download the closure, less what a headless kicad-cli never loads: GPU
#    drivers, the Python interpreter and wxPython, media plug-ins, init, icons.
#    A name that no longer exists does no harm here; one that has come to be
#    needed is caught in step 4.
skip='^(libllvm|mesa-|libgl1-mesa-dri|libz3-|python3|libpython3[.0-9]*-(stdlib|minimal)|occt-misc|libocct-draw|libtcl|libtk|tk8|tcl8'
skip="$skip|systemd|libsystemd-shared|udev|gstreamer|glycin-|iso-codes|perl|libperl|libngspice|gnupg|gpg|dirmngr|procps|passwd|login|util-linux"
skip="$skip|adwaita|hicolor|gsettings|dconf|fonts-dejavu-(mono|extra)|hunspell|aspell|dictionaries|xkb-data|shared-mime|libgtk-3-common"
skip="$skip|libvpx|libdb5|libc-gconv|bubblewrap|xdg|dbus\$|dbus-)"
apt-get -qq -s install $packages | sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -Ev "$skip" > "$work/names"
(cd "$work/cache/archives" && xargs apt-get -qq download < "$work/names")
echo "kicad $version from $suite: $(wc -l < "$work/names") packages, $(du -sm "$work/cache/archives" | cut -f1) MB"

# 3. Unpack the libraries, the program and its data beside the final place.
mkdir -p "$new"
for deb in "$work"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$new" --no-same-owner --wildcards \
        --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' \
        --exclude='./usr/share/icons' --exclude='./usr/share/opencascade' --exclude='./usr/include' \
        --exclude='./usr/lib/python3*' --exclude='*/gconv' --exclude='*/dri' --exclude='*/gstreamer-1.0' \
        --exclude='./usr/libexec' --exclude='./usr/sbin' --exclude='./var'
done
find "$new/usr/bin" -mindepth 1 ! -name kicad-cli ! -name '*.kiface' -delete
# KiCad finds its own parts from /proc/self/exe. That is the loader when a
# program is started through it, so a copy of the loader stands beside it.
cp -L "$new/usr/lib64/ld-linux-x86-64.so.2" "$new/usr/bin/ld-kicad"

# 4. Every library that the parts in use name must be inside the folder.
#    (pulseaudio, blas and lapack: private folders that packages reach by an
#    absolute RUNPATH. SDL3 is loaded by name only.)
library_path() {
    echo "$1/usr/lib/$triplet:$1/usr/lib:$1/usr/lib/kicad:$1/usr/lib/$triplet/pulseaudio:$1/usr/lib/$triplet/blas:$1/usr/lib/$triplet/lapack"
}
for elf in usr/bin/kicad-cli usr/lib/kicad/_eeschema.kiface usr/lib/kicad/_pcbnew.kiface "usr/lib/$triplet/libSDL3.so.0"; do
    [ -e "$new/$elf" ] || continue
    LD_TRACE_LOADED_OBJECTS=1 "$new/usr/bin/ld-kicad" --library-path "$(library_path "$new")" "$new/$elf" > "$work/trace"
    if grep -e 'not found' -e '=> /lib' -e '=> /usr/lib' "$work/trace"; then
        fail "$elf needs the libraries above: take their packages off the skip list"
    fi
done

# 5. Put the folder and the wrapper in place.
printf '%s\n' "$packages" > "$new/.packages"
rm -rf "$prefix.old"; [ ! -e "$prefix" ] || mv "$prefix" "$prefix.old"
mv "$new" "$prefix"; rm -rf "$prefix.old"
mkdir -p "$(dirname "$wrapper")"
cat > "$work/wrapper" <<RUN
#!/bin/sh
# kicad-cli $version (Debian $suite), unpacked in $prefix
export KICAD_STOCK_DATA_HOME="\${KICAD_STOCK_DATA_HOME:-$prefix/usr/share/kicad}"
set -- "$prefix/usr/bin/ld-kicad" --inhibit-cache --library-path "$(library_path "$prefix")" \\
    --argv0 kicad-cli "$prefix/usr/bin/kicad-cli" "\$@"
# KiCad writes settings under HOME; where there is none, give it one to throw away.
if [ -w "\${HOME:-/nonexistent}" ]; then exec "\$@"; fi
HOME=\$(mktemp -d) || exit 1
export HOME
trap 'rm -rf "\$HOME"' EXIT
"\$@"
RUN
chmod 755 "$work/wrapper"
mv "$work/wrapper" "$wrapper"
got=$("$wrapper" version)
case $got in "$want"*) ;; *) fail "kicad-cli says its version is '$got'" ;; esac
echo "$version $suite" > "$prefix/.complete"
echo "kicad-cli $got installed: $wrapper"
