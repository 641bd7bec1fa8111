# `make demo` shows Gimlet at work, `make test` runs everything that must hold. Both install what is
# missing on a Debian machine first; when nothing is missing they start at once.

CARGO ?= cargo

.PHONY: help demo check test deps build dist fuzz

help:
	@echo 'make demo   find bugs in the examples, show tests and coverage'
	@echo 'make check  format, lints, and the tests that need no runtime: a minute when it is built'
	@echo 'make test   format, lints, all tests (the comparison with the real BEAM too)'
	@echo 'make deps   install what is missing: OTP, rebar3, Elixir, SWI-Prolog, Z3, a C compiler'
	@echo 'make fuzz   every reader is fed for longer: FUZZ=10000000 executions each'
	@echo 'make build  the binary: target/release/gimlet'
	@echo 'make dist   what is released: target/dist'

deps:
	@.ci/deps

build: deps
	$(CARGO) build --release --package cli

dist: deps
	@CARGO='$(CARGO)' .ci/dist

demo: build
	@.ci/demo

# No test of these starts OTP, Elixir or SWI-Prolog.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace --exclude beam --exclude conformance --lib --bins

test: deps
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace

FUZZ ?= 1000000

fuzz: deps
	GIMLET_FUZZ=$(FUZZ) $(CARGO) test --release --package conformance --test fuzz -- --nocapture
