ask() { $cxx "$@"; }
programs=
for name in cc1plus cc1 as ld; do
    found=$(ask -print-prog-name=$name)
    case $found in /*) ;; *) found=$(command -v "$found" || true) ;; esac
    if [ -n "$found" ]; then programs="$programs${programs:+, }\"$name\": \"$(readlink -f "$found")\""; fi
done
headers=
listed=no
while read -r line; do
    case $line in
    '#include <...>'*) listed=yes ;;
    'End of search list.') listed=no ;;
    *) if [ $listed = yes ]; then headers="$headers${headers:+, }\"$(readlink -f "$line")\""; fi ;;
    esac
done < <(ask -E -x c++ -v /dev/null 2>&1)
read -r vendor < <(ask --version)
set -- $cxx
driver=$1
shift
arguments=
for word in "$@"; do arguments="$arguments${arguments:+, }\"$word\""; done
printf '{"cxx": "%s", "arguments": [%s], "ar": "%s", "family": "gcc", "vendor": "%s", "version": "%s", "machine": "%s", ' \
    "$driver" "$arguments" "$ar" "$vendor" "$(ask -dumpfullversion)" "$(ask -dumpmachine)" >"$out"
printf '"programs": {%s}, "headers": [%s], "files": %s}\n' "$programs" "$headers" "$files" >>"$out"
