#!/usr/bin/env -S node --max-semi-space-size=4
// New objects are made in 4 MiB, which the processor's caches hold; V8's own choice, 16 MiB, takes longer to collect.
import '../dist/service-agent.mjs';
