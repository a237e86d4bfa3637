# Everything a user or a developer calls. Each target installs what it needs first.
.PHONY: run build package docs test test-full test-all check watch test-other-nodes test-clients test-on-cluster test-day conformance conformance-portion mutants unit integration bench simulate torture torture-full up down alert-times alert-times-long
.PHONY: generate lint format clean install

PORT ?= 6443
NAMING ?= kubernetes
DATA_DIR ?= .orch
# What runs pods on this machine: none, process (processes of it, by bubblewrap) or containerd.
RUNTIME ?= none
API_SERVERS ?= 2
GATEWAYS ?= 2
LOAD_BALANCER ?= nginx

# Everything runs on the Node that package-lock.json pins, whatever the machine has; npm, which replaces node_modules, on the machine's own.
MACHINE_PATH := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

node_modules/.package-lock.json: package-lock.json
	PATH="$(MACHINE_PATH)" npm ci
	@touch $@

install: node_modules/.package-lock.json

build: install
	npm run --silent build

NODE_process = --node-runtime=process
RUN_containerd = npx tsx tools/up/with-containerd.ts $(DATA_DIR)/containerd
PACKAGES_process = bubblewrap busybox-static
PACKAGES_containerd = containerd runc containernetworking-plugins iptables busybox-static

# One command: embedded PostgreSQL, one HTTPS port, nothing to configure.
run: build
	@test $(RUNTIME) = none || tools/up/install-packages.sh --only $(PACKAGES_$(RUNTIME))
	$(RUN_$(RUNTIME)) node_modules/.bin/orch standalone $(NODE_$(RUNTIME)) --secure-port=$(PORT) --data-dir=$(DATA_DIR) --naming=$(NAMING) --kubeconfig-out=$(DATA_DIR)/kubeconfig

# One npm package of everything, build/package/orch-<version>.tgz: npm i -g runs it anywhere.
package: build
	node tools/package.mjs

# The site of docs/, build/site. SITE_BASE is the path that it is served under, SITE_SOURCE where links to files of the repository lead.
SITE_BASE ?= /
SITE_SOURCE ?=
SITE = tools/site
docs: $(SITE)/node_modules/.package-lock.json
	node tools/included-files.mjs
	node $(SITE)/diagrams.mjs
	SITE_BASE=$(SITE_BASE) SITE_SOURCE=$(SITE_SOURCE) $(SITE)/node_modules/.bin/vitepress build $(SITE)

$(SITE)/node_modules/.package-lock.json: $(SITE)/package-lock.json
	PATH="$(MACHINE_PATH)" npm ci --prefix $(SITE)
	@touch $@

# What is quick says first that something is wrong.
test:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint unit
	@$(MAKE) --no-print-directory integration

# Each night: the tests above, on other Nodes too. What passed is put on record in test/last-full-run.json: with TEST_SELECTION=changed, `make test`
# leaves out the long tests of what has not changed since (test/selection).
test-full: tried := $(shell git rev-parse HEAD)
test-full:
	@test -z "$$(git status --porcelain)" || { echo 'commit first: what passes is put on record as a commit'; exit 1; }
	@$(MAKE) --no-print-directory test TEST_SELECTION=all
	@$(MAKE) --no-print-directory test-other-nodes
	@$(MAKE) --no-print-directory conformance-portion
	npx tsx test/selection/record.ts $(tried)

TODAY = $(shell date +%Y%m%d)
# What even these leave out, in hours: the contract in both naming profiles, every fault at full length, every client. By the day's seeds.
test-all: export TEST_ALL = 1
test-all: export FUZZ_SEED = $(TODAY)
test-all: export HEAVY_SEED = $(TODAY)
test-all: docs test-full torture-full test-clients

# While one works: what can be said in under a minute of what has changed since BASE, or since the last commit where that is unknown.
check: install
	@$(SIDE_BY_SIDE) $(CHECKS)

# Unit tests again whenever what they import changes. WATCH holds files or parts of their names.
watch: install
	npx vitest watch $(WATCH)

# Several targets at once, and what each says in one piece.
SIDE_BY_SIDE = $(MAKE) --no-print-directory --jobs=$(shell nproc) --output-sync=target --keep-going

lint: build
	@$(SIDE_BY_SIDE) $(LINTS)

LINTS = lint-style lint-types lint-imports lint-documents lint-generated lint-reference
lint-style:
	npx biome check .
# What it knows of the last time lies in build/: only what has changed is checked anew.
lint-types:
	npx tsc -p tsconfig.tests.json --incremental --tsBuildInfoFile build/tests.tsbuildinfo
lint-imports:
	node tools/check-imports.mjs
	node tools/check-circles.mjs
lint-documents:
	node tools/architecture.mjs --check
	node tools/check-doc-paths.mjs
	node tools/included-files.mjs --check
	node $(SITE)/diagrams.mjs --check
	node tools/check-docs.mjs
	npx tsx tools/checks/main.ts
lint-generated:
	npx tsx tools/generate/main.ts --check
lint-reference:
	npx tsx tools/reference/main.ts --check

CHECKS = check-build lint-types check-units check-style lint-imports lint-documents
.PHONY: $(LINTS) $(CHECKS)
SINCE = $(shell git merge-base --fork-point $(BASE) 2>/dev/null || git merge-base $(BASE) HEAD 2>/dev/null || echo HEAD)
check-build:
	npx tsc -b
check-style:
	@{ git diff --name-only -z --diff-filter=d $(SINCE); git ls-files -z --others --exclude-standard; } | \
	  xargs -0 --no-run-if-empty npx biome check --files-ignore-unknown=true --no-errors-on-unmatched
# The tests nearest to what has changed; MOST files of them.
MOST ?= 40
check-units:
	npx tsx tools/mutation/nearest.ts --base=$(SINCE) --most=$(MOST)

unit: install
	npx tsx test/unit.ts

# Real servers and real clients; starts and stops PostgreSQL, NATS and nginx by itself.
integration: build
	npx tsx test/run.ts

# On the Nodes that are supported beside the one that is pinned, supplied by npm: the contract, and the unit tests of what reads bytes.
READS_BYTES = libs/tls libs/codec libs/machinery libs/schema libs/authentication
VITEST = node node_modules/vitest/vitest.mjs run
test-other-nodes: build
	npx --yes --package=node@24 -c 'node --version && $(VITEST) $(READS_BYTES)'
	TEST_COPIES_DATA=1 CONFORMANCE_PROFILE=kubernetes npx --yes --package=node@22 -c 'node --version && $(VITEST) --config test/vitest.config.ts --project conformance'

# Every client, also those whose installation takes minutes: Rust (needs cargo), Java (needs a JDK and Maven), operators and k9s (compiled by
# Go; tmux), Headlamp (npm, Chromium).
test-clients: build
	npx vitest run --config test/clients/vitest.config.ts

# The chart on nodes of real components, under load: root, Debian's packages, half an hour of compiling at first, then twenty minutes.
test-on-cluster: build
	npx tsx test/on-cluster/main.ts

# A day of a cluster of two nodes of real components in ten minutes: rolling updates, autoscaling, volumes, a drain, a lost node, CronJobs. Root,
# Debian's packages, half an hour of compiling at first.
test-day: build
	npx tsx test/on-cluster/day/main.ts

# The official conformance suite, on a node of real components whose control plane is `orch standalone`: root, Debian's packages, an hour of
# compiling at first, then half an hour. SERVER=tiers runs it on api-servers and gateways behind nginx, SERVER=all on these and kube-apiserver as well;
# SUITE=1.37.2 takes the suite of a later release; SIGS, ONLY, AMEND, PROCS, MINUTES, OUT: docs/conformance.md.
conformance: build
	npx tsx test/on-cluster/conformance/main.ts

# What takes seven minutes of it, where its programs have been compiled already.
COMPILED_SUITE = $(wildcard $(HOME)/.cache/orch-test/e2e-v1.27.16/e2e.test)
PORTION = ^\[sig-(auth|cli|instrumentation)\]
# With the scheduler and the node agent of orch.
OWN_PORTION = Container Lifecycle Hook|Probing container should be restarted with a GRPC|Kubelet when scheduling|Subpath Atomic
RUN_PORTION = npx tsx test/on-cluster/conformance/main.ts
conformance-portion: build
	$(if $(COMPILED_SUITE),ONLY='$(PORTION)' $(RUN_PORTION),@echo 'left out: the official suite is not compiled here (make conformance)')
	$(if $(COMPILED_SUITE),ONLY='$(OWN_PORTION)' NODE_AGENT=orch SCHEDULER=orch $(RUN_PORTION))

# Faults in what has changed since BASE, and which of them no unit test notices. MUTANTS holds options and files; --help lists them.
BASE ?= origin/main
mutants: install
	npx tsx tools/mutation/main.ts --base=$(BASE) $(MUTANTS)

# Api-servers and gateways behind a load balancer, with PostgreSQL and NATS from system packages.
up: build
	npx tsx tools/up/main.ts --api-servers=$(API_SERVERS) --gateways=$(GATEWAYS) --load-balancer=$(LOAD_BALANCER)

down: install
	npx tsx tools/up/main.ts down

# BENCH holds options, as BENCH="--only=many --full"; --help lists them. Many watchers need many descriptors.
bench: build
	@ulimit -n 65536 2>/dev/null || true; npx tsx test/load/bench.ts $(BENCH)

# How many gateways a million watchers take, from costs measured here. SIMULATE holds options; --help lists them.
simulate: build
	npx tsx test/load/simulate/main.ts $(SIMULATE)

torture: build
	npx tsx test/faults/torture.ts

# Every fault of test/faults/README.md at full length, the variants broken on purpose, and a hundred thousand generated objects. Hours; as root.
torture-full: build
	npx tsx test/faults/faults.ts --all
	npx tsx test/faults/torture.ts --variants
	FUZZ_OBJECTS=100000 BINARY_OBJECTS=100000 npx vitest run --config test/vitest.config.ts test/fuzz

# Makes the faults of test/sight with the rules as they are shipped, and keeps how long alerts took: over two hours.
alert-times: build
	SIGHT_PACE=shipped npx vitest run --config test/vitest.config.ts test/sight/faults.test.ts
	SIGHT_PACE=shipped npx vitest run --config test/vitest.config.ts test/sight/sight.test.ts -t 'alerts fire'
	SIGHT_PACE=shipped npx vitest run --config test/vitest.config.ts test/sight/machines.test.ts

# The same for alerts that take up to two hours, side by side.
alert-times-long: build
	SIGHT_PACE=shipped npx vitest run --config test/vitest.config.ts test/sight/history.long.ts test/sight/burn.long.ts

generate: install
	npx tsx tools/generate/main.ts
	node tools/architecture.mjs
	node tools/included-files.mjs
	npx tsx --conditions=source tools/reference/main.ts
	npx tsx tools/checks/main.ts --shrink

format: install
	npx biome check --write .

clean:
	rm -rf build libs/*/dist services/*/dist test/dist node_modules $(SITE)/node_modules
