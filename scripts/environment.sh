# Read by scripts/kcc and scripts/check, which set `root`. POSIX sh, and no process is started on the
# way through is_ready but `cmp`: it runs before every kcc command.

# is_ready PART: .venv was made for this pyproject.toml, in this place, and holds the part.
is_ready() {
    [ -x "$root/.venv/bin/python" ] &&
        IFS= read -r made_in 2>/dev/null <"$root/.venv/kcc-root" &&
        [ "$made_in" = "$root" ] &&
        cmp -s "$root/pyproject.toml" "$root/.venv/kcc-$1.toml"
}

# make_ready PART: makes or refreshes .venv; messages go to standard error.
make_ready() {
    base_python=$(find_python) || {
        echo "kcc: Python 3.11 or newer is needed and none was found (tried \$KCC_PYTHON, python3," \
            "python3.14 to python3.11)" >&2
        return 1
    }
    "$base_python" "$root/scripts/environment.py" "$1"
}

# find_python: prints the first interpreter that kcc's dependencies have wheels for.
find_python() {
    for candidate in ${KCC_PYTHON:+"$KCC_PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
            >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}
