#!/usr/bin/env bash
# Compiles a project, runs gimlet on it, and leaves the reports that code hosts read in a directory.
#
# All it is told is in the environment:
#   GIMLET_TARGETS   what to test, separated by spaces [.]
#   GIMLET_BUDGET    time for everything together [2m]
#   GIMLET_OPTIONS   more options of `gimlet test`
#   GIMLET_BUILD     the command that compiles the project [rebar3 compile, mix compile, or nothing]
#   GIMLET_REPORTS   where reports are written [gimlet-reports]
#   GIMLET_FORMAT    what goes to standard output [text]
#
# The exit code is that of `gimlet test`: 0 nothing found, 1 a finding, 2 it could not be done.
set -euo pipefail

targets=${GIMLET_TARGETS:-.}
reports=${GIMLET_REPORTS:-gimlet-reports}
build=${GIMLET_BUILD:-}

if ! command -v gimlet >/dev/null; then
    echo "There is no gimlet on the PATH." >&2
    exit 2
fi
if [ -z "$build" ]; then
    if [ -e mix.exs ]; then
        build="mix compile"
    elif [ -e rebar.config ]; then
        build="rebar3 compile"
    fi
fi
if [ -n "$build" ] && ! bash -c "$build"; then
    echo "The project does not compile: $build" >&2
    exit 2
fi

mkdir -p "$reports"
code=0
# Targets and options are words, so they are split.
# shellcheck disable=SC2086
gimlet test $targets --budget "${GIMLET_BUDGET:-2m}" --format "${GIMLET_FORMAT:-text}" \
    --report "sarif=$reports/gimlet.sarif" \
    --report "junit=$reports/gimlet.xml" \
    --report "cobertura=$reports/coverage.xml" \
    --report "markdown=$reports/gimlet.md" \
    --report "html=$reports/gimlet.html" \
    --report "json=$reports/gimlet.json" \
    ${GIMLET_OPTIONS:-} || code=$?

if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -e "$reports/gimlet.md" ]; then
    cat "$reports/gimlet.md" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    echo "exit-code=$code" >> "$GITHUB_OUTPUT"
    echo "reports=$reports" >> "$GITHUB_OUTPUT"
fi
exit "$code"
