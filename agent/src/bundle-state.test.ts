import { spawnSync } from 'node:child_process';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { DigestSet } from '@authz-service/core/state/digest-set';
import { BundleState, moment } from '@authz-service/embedded/bundle/bundle-state';
import type { Served } from '@authz-service/embedded/bundle/served';
import { statusReport } from '@authz-service/embedded/status';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AgentMetrics } from './metrics.js';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const FAULT = { code: 'network', detail: 'away' };

const served = (revision: string): Served => ({
  engine: compileEngine([]),
  search: new TenantSearch(compileEngine([])),
  tenant: { id: 't', name: 'acme' },
  revision,
  bundleRevision: revision,
  digest: 'd',
  digests: new DigestSet(),
  activatedBy: 'bundle',
  issuedAt: '2026-01-01T00:00:00.000Z',
  signedBy: 'bundle-1',
});

function agentState() {
  const metrics = new AgentMetrics();
  return { metrics, state: new BundleState(metrics) };
}

/** The samples of a metric, `labels value`. */
async function samples(metrics: AgentMetrics, name: string): Promise<string[]> {
  const text = await metrics.text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => line.slice(name.length).trim());
}

afterEach(() => void vi.useRealTimers());

describe('BundleState', () => {
  it('is starting, and knows nothing, before the cache was looked at', () => {
    const { state } = agentState();
    expect(state.health()).toEqual({
      status: 'starting',
      bundle_revision: '',
      last_sync: '1970-01-01T00:00:00.000Z',
      degraded: false,
      consecutive_failures: 0,
      sync_age_seconds: expect.any(Number),
    });
    expect(state.health().sync_age_seconds).toBeGreaterThan(1e9);
    expect(statusReport(state)).toMatchObject({ bundle_revision: null, last_success: null, age_seconds: null });
  });

  it.each([
    ['the time of the machine', '2026-01-01T00:00:00.000Z', () => Date.now()],
    ['the time of the signature where the machine is behind', '2999-01-01T00:00:00.000Z', () => Date.UTC(2999, 0)],
  ])('decides by %s', (_, issuedAt, time) => {
    const { state } = agentState();
    const earliest = time();
    state.started({ served: { ...served('1'), issuedAt }, confirmedAtMs: 0 });
    expect(state.now()).toBeGreaterThanOrEqual(earliest);
    expect(state.now()).toBeLessThan(earliest + 60_000);
  });

  describe('with a maximum age', () => {
    const limited = () => new BundleState(new AgentMetrics(), 60_000);

    it('decides by what the cloud confirmed within it, counted from the question', () => {
      const state = limited();
      state.started();
      expect(() => state.current()).toThrow(/no bundle yet/);
      state.replaced(served('1.a'));
      expect(() => state.current()).toThrow(/of unknown age/);
      const { wallMs, monotonicMs } = moment();
      state.syncSucceeded({ wallMs, monotonicMs });
      expect(() => state.current()).toThrow(/of unknown age/);
      state.syncSucceeded({ wallMs, monotonicMs }, wallMs);
      expect(state.current().revision).toBe('1.a');
      state.syncSucceeded({ wallMs, monotonicMs: monotonicMs - 61_000 }, wallMs + 1);
      expect(() => state.current()).toThrow(/is 61 s old, and SERVICE_MAX_AGE allows 60 s/);
      // The machine has slept: only the wall clock knows.
      state.syncSucceeded({ wallMs: wallMs - 61_000, monotonicMs }, wallMs + 2);
      expect(() => state.current()).toThrow(/is 61 s old/);
    });

    it('is not made young by an answer that is repeated, or that was old when it came', () => {
      const state = limited();
      state.started();
      state.replaced(served('1.a'));
      const { wallMs, monotonicMs } = moment();
      const askedAt = { wallMs: wallMs - 61_000, monotonicMs: monotonicMs - 61_000 };
      state.syncSucceeded(askedAt, wallMs - 61_000);
      for (const newestAtMs of [wallMs - 61_000, wallMs - 120_000, undefined]) {
        state.syncSucceeded(moment(), newestAtMs);
        expect(() => state.current()).toThrow(/is 61 s old/);
      }
      state.syncSucceeded(moment(), wallMs - 60_500);
      expect(() => state.current()).toThrow(/is 60 s old/);
      state.syncSucceeded(moment(), Date.now());
      expect(state.current().revision).toBe('1.a');
    });

    it('stays as old as what was signed where the wall clock is set back', () => {
      const state = limited();
      state.started();
      state.replaced(served('1.a'));
      vi.useFakeTimers({ toFake: ['Date'] });
      state.syncSucceeded(moment(), Date.now() - 61_000);
      vi.setSystemTime(Date.now() - 3_600_000);
      expect(() => state.current()).toThrow(/is 61 s old/);
    });

    it('tells, with files, the time that was signed as that of the last sync', () => {
      const state = limited();
      state.syncing.source = { kind: 'static', url: 'http://web/' };
      state.started();
      state.replaced(served('1.a'));
      const signedAtMs = Date.now() - 30_000;
      for (let polls = 0; polls < 2; polls++) state.syncSucceeded(moment(), signedAtMs);
      expect(state.lastSync).toBe(new Date(signedAtMs).toISOString());
      expect(state.syncAgeSeconds).toBeGreaterThanOrEqual(30);
    });

    it.each([
      ['cloud', /until the cloud answers it again/],
      ['static', /until it reads files that were published later/],
    ] as const)('says what helps: %s', (kind, helps) => {
      const state = limited();
      state.syncing.source = { kind, url: 'http://web/' };
      state.started();
      state.replaced(served('1.a'));
      state.syncSucceeded(moment(), Date.now() - 61_000);
      expect(() => state.current()).toThrow(helps);
    });

    it.each(['heard', 'cached'])('decides again once a clock of the cloud that was ahead is right: %s', (how) => {
      const state = limited();
      const { wallMs, monotonicMs } = moment();
      const aheadMs = wallMs + 3_600_000;
      if (how === 'cached') state.started({ served: served('1.a'), confirmedAtMs: wallMs, newestAtMs: aheadMs });
      else {
        state.started();
        state.replaced(served('1.a'));
        state.syncSucceeded({ wallMs: wallMs - 61_000, monotonicMs: monotonicMs - 61_000 }, aheadMs);
      }
      expect(() => state.current()).toThrow(/61 s old|of unknown age/);
      // Repeated, it still brings nothing new.
      state.syncSucceeded(moment(), aheadMs);
      expect(() => state.current()).toThrow(/61 s old|of unknown age/);
      state.syncSucceeded(moment(), Date.now() + 1);
      expect(state.current().revision).toBe('1.a');
    });

    it('of the request alone refuses that request', () => {
      const { state } = agentState();
      state.started();
      state.replaced(served('1.a'));
      state.syncSucceeded(moment(), Date.now() - 30_500);
      expect(state.current(31_000).revision).toBe('1.a');
      expect(() => state.current(30_000)).toThrow(/is 30 s old, and Service-Max-Age allows 30 s/);
    });

    it.each([
      ['within it', -30_000, undefined],
      ['past it', -61_000, /61 s old/],
      ['from the future', 3_600_000, /of unknown age/],
    ])('looks at a cache %s', (_, offsetMs, refusal) => {
      const state = limited();
      state.started({ served: served('7.c'), confirmedAtMs: Date.now(), newestAtMs: Date.now() + offsetMs });
      if (refusal === undefined) expect(state.current().revision).toBe('7.c');
      else expect(() => state.current()).toThrow(refusal);
    });
  });

  it('stays cold, not degraded, while the first syncs fail', async () => {
    const { state, metrics } = agentState();
    state.started();
    expect(state.phase).toBe('cold');
    expect([state.syncFailed(FAULT), state.syncFailed(FAULT)]).toEqual([1, 2]);
    expect(state.health()).toMatchObject({ status: 'cold', degraded: false, consecutive_failures: 2 });
    expect(await samples(metrics, 'service_agent_degraded')).toEqual(['0']);
    expect(await samples(metrics, 'service_agent_consecutive_sync_failures')).toEqual(['2']);
    expect(await samples(metrics, 'service_agent_bundle_sync_failures_total')).toEqual(['2']);
    expect(await samples(metrics, 'service_agent_bundle_last_sync_timestamp_seconds')).toEqual(['0']);
  });

  it('becomes ready by the first sync, and counts that once', async () => {
    const { state, metrics } = agentState();
    state.started();
    for (const revision of ['1.a', '2.b']) {
      state.replaced(served(revision));
      state.syncSucceeded();
    }
    expect(state.health()).toMatchObject({ status: 'ok', bundle_revision: '2.b', degraded: false });
    expect(Date.parse(state.health().last_sync)).toBeLessThanOrEqual(Date.now());
    expect(await samples(metrics, 'service_agent_bundle_cache_hit')).toEqual([
      '{source="cache"} 0',
      '{source="sync"} 1',
    ]);
  });

  it('is ready from the cache, as old as the cache is', async () => {
    const { state, metrics } = agentState();
    const confirmedAtMs = Date.now() - 120_000;
    state.started({ served: served('7.c'), confirmedAtMs });
    expect(state.health()).toMatchObject({ status: 'ok', bundle_revision: '7.c' });
    expect(state.health().sync_age_seconds).toBeGreaterThanOrEqual(120);
    expect(Math.abs(Date.parse(state.health().last_sync) - confirmedAtMs)).toBeLessThan(60_000);
    expect(await samples(metrics, 'service_agent_bundle_cache_hit')).toEqual([
      '{source="cache"} 1',
      '{source="sync"} 0',
    ]);
    state.replaced(served('8.d'));
    expect(await samples(metrics, 'service_agent_bundle_cache_hit')).toEqual([
      '{source="cache"} 1',
      '{source="sync"} 0',
    ]);
  });

  it('takes a cache from the future for one of now', () => {
    const { state } = agentState();
    state.started({ served: served('7.c'), confirmedAtMs: Date.now() + 3_600_000 });
    expect(Date.parse(state.health().last_sync)).toBeLessThanOrEqual(Date.now());
    expect(state.health().sync_age_seconds).toBeGreaterThanOrEqual(0);
  });

  it('is degraded from the first failure to the next success', async () => {
    const { state, metrics } = agentState();
    state.started({ served: served('7.c'), confirmedAtMs: Date.now() });
    state.syncFailed(FAULT);
    state.syncFailed(FAULT);
    expect(state.health()).toMatchObject({ status: 'degraded', degraded: true, consecutive_failures: 2 });
    expect(await samples(metrics, 'service_agent_degraded')).toEqual(['1']);
    expect(state.syncSucceeded()).toBe(2);
    expect(state.health()).toMatchObject({ status: 'ok', degraded: false, consecutive_failures: 0 });
    expect(await samples(metrics, 'service_agent_degraded')).toEqual(['0']);
    expect(await samples(metrics, 'service_agent_consecutive_sync_failures')).toEqual(['0']);
    expect(await samples(metrics, 'service_agent_bundle_sync_failures_total')).toEqual(['2']);
  });
});

describe('AgentMetrics', () => {
  it('has the documented metrics with their types, and no others', async () => {
    const text = await new AgentMetrics().text();
    expect([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`).sort()).toEqual([
      'service_agent_bundle_cache_hit counter',
      'service_agent_bundle_last_sync_timestamp_seconds gauge',
      'service_agent_bundle_source_info gauge',
      'service_agent_bundle_sync_failures_total counter',
      'service_agent_consecutive_sync_failures gauge',
      'service_agent_decision_duration_seconds histogram',
      'service_agent_decisions_total counter',
      'service_agent_degraded gauge',
      'service_agent_epoch gauge',
      'service_agent_refused_budgets gauge',
      'service_agent_revision_waits_total counter',
      'service_agent_too_old_total counter',
      'service_agent_up gauge',
    ]);
    expect(text).toMatch(/^service_agent_up 1$/m);
  });

  it.skipIf(!hasPromtool)('has metrics that promtool accepts, except for a name of the specification', async () => {
    const input = await new AgentMetrics().text();
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    expect((stdout + stderr).trim()).toBe('service_agent_bundle_cache_hit counter metrics should have "_total" suffix');
  });

  it('counts calls by outcome and times evaluations', async () => {
    const metrics = new AgentMetrics();
    metrics.called(true, 'group');
    metrics.called(true, 'group');
    metrics.called(false, 'none');
    metrics.evaluated(true, 0.003);
    metrics.evaluated(false, 250);
    expect(await samples(metrics, 'service_agent_decisions_total')).toEqual([
      '{allowed="true",access_path="direct"} 0',
      '{allowed="true",access_path="role"} 0',
      '{allowed="true",access_path="group"} 2',
      '{allowed="false",access_path="direct"} 0',
      '{allowed="false",access_path="role"} 0',
      '{allowed="false",access_path="group"} 0',
      '{allowed="false",access_path="none"} 1',
    ]);
    const buckets = await samples(metrics, 'service_agent_decision_duration_seconds_bucket');
    expect(buckets).toContain('{le="0.000002",allowed="true"} 0');
    expect(buckets).toContain('{le="0.000005",allowed="true"} 1');
    expect(buckets).toContain('{le="0.1",allowed="false"} 0');
    expect(buckets).toContain('{le="+Inf",allowed="false"} 1');
    expect(await samples(metrics, 'service_agent_decision_duration_seconds_count')).toEqual([
      '{allowed="true"} 1',
      '{allowed="false"} 1',
    ]);
  });

  describe('advanced by changes', () => {
    const alice = { kind: 'subject', id: 'alice', fields: { type: 'user', id: 'alice' } } as EngineRecord;

    it('serves the next revision in the turn in which the engine has changed', async () => {
      const { state } = agentState();
      const before = served('7.c');
      state.replaced(before);
      const next: Served = { ...before, revision: '8.d', bundleRevision: '8.d', activatedBy: 'delta' };
      const advanced = state.advanced([{ after: alice }], next);
      expect(state.served).toBe(next);
      expect(next.engine.subjects.get('user')?.get('alice')).toBeDefined();
      await advanced;
      expect(statusReport(state)).toMatchObject({ revision: '8.d', activated_by: 'delta' });
    });

    it('leaves work of several turns what it began on, and lets none begin on half', async () => {
      const { state } = agentState();
      const before = served('7.c');
      state.replaced(before);
      let end = () => {};
      const first = state.read(async ({ revision }) => {
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        return [revision, state.served?.revision];
      });
      const advanced = state.advanced([{ after: alice }], { ...before, revision: '8.d' });
      const second = state.read(async ({ revision }) => revision);
      expect(state.served?.revision).toBe('7.c');
      end();
      expect(await first).toEqual(['7.c', '7.c']);
      await advanced;
      expect(await second).toBe('8.d');
    });

    it('serves nothing any more where the engine fails in the middle', async () => {
      const { state } = agentState();
      const before = served('7.c');
      state.replaced(before);
      before.engine.apply = () => {
        throw new Error('half done');
      };
      await expect(state.advanced([], { ...before, revision: '8.d' })).rejects.toThrow('half done');
      expect([state.served, state.phase]).toEqual([undefined, 'starting']);
      await expect(state.read(async () => 1)).rejects.toMatchObject({ code: 'not_ready' });
    });
  });
});
