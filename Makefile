# Everything a user or a developer calls. Each target installs what it needs first.
.PHONY: run build test unit integration bench torture up down generate lint format clean install

PORT ?= 6443
NAMING ?= kubernetes
DATA_DIR ?= .orch

node_modules/.package-lock.json: package-lock.json
	npm ci
	@touch $@

install: node_modules/.package-lock.json

build: install
	npx tsc -b

# One command: embedded PostgreSQL, one HTTPS port, nothing to configure.
run: build
	node_modules/.bin/orch standalone --secure-port=$(PORT) --data-dir=$(DATA_DIR) --naming=$(NAMING) --kubeconfig-out=$(DATA_DIR)/kubeconfig

test: lint unit integration

lint: build
	npx biome check .
	node tools/check-imports.mjs

unit: install
	npx vitest run

# Real servers and real clients; starts and stops PostgreSQL, NATS, Redis and nginx by itself.
integration: build
	npx vitest run --config test/vitest.config.ts

# Two api-servers and two gateways behind nginx, with PostgreSQL, NATS and Redis from system packages.
up: build
	npx tsx tools/up/main.ts

down: install
	npx tsx tools/up/main.ts down

bench: build
	npx tsx test/load/bench.ts

torture: build
	npx tsx test/faults/torture.ts

generate: install
	npx tsx tools/generate/main.ts

format: install
	npx biome check --write .

clean:
	rm -rf libs/*/dist services/*/dist test/dist node_modules
