#!/usr/bin/env node
import '../dist/service-agent.mjs';
