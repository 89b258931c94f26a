import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { checkManifest, hasKustomize, kustomized, type Manifest } from './kubernetes/manifests.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const chart = join(root, 'deploy/chart');
const read = (file: string) => readFileSync(join(chart, file), 'utf8');
const defaults = parse(read('values.yaml'));
const validate = new Ajv({ allErrors: true }).compile(JSON.parse(read('values.schema.json')));

const hasGo = spawnSync('go', ['version']).status === 0;
if (!hasGo) console.warn('NOT TESTED: the chart, for want of Go');

type Values = { [name: string]: unknown };

/** The chart's values with others on top of them, as Helm merges them. */
function merged(values: Values, over: Values): Values {
  const both = Object.entries(over).map(([name, value]) => {
    const below = values[name];
    const deep = isObject(below) && isObject(value);
    return [name, deep ? merged(below, value) : value];
  });
  return { ...values, ...Object.fromEntries(both) };
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

let folder: string;
let renderer: string;
beforeAll(() => {
  if (!hasGo) return;
  folder = mkdtempSync(join(tmpdir(), 'service-chart-'));
  renderer = join(folder, 'render-chart');
  const source = fileURLToPath(new URL('./kubernetes/render-chart.go', import.meta.url));
  const { status, stderr } = spawnSync('go', ['build', '-o', renderer, source], { encoding: 'utf8' });
  expect(`${status} ${stderr}`).toBe('0 ');
});
afterAll(() => hasGo && rmSync(folder, { recursive: true, force: true }));

/** Returns what Helm would install for a release. */
function rendered(over: Values, release = 'authz'): Manifest[] {
  const values = merged(defaults, over);
  expect([validate(values), validate.errors]).toEqual([true, null]);
  const { name, version, appVersion } = parse(read('Chart.yaml'));
  const data = {
    Release: { Name: release, Service: 'Helm' },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Values: values,
  };
  const input = JSON.stringify({ templates: join(chart, 'templates'), data });
  const { status, stdout, stderr } = spawnSync(renderer, { input, encoding: 'utf8' });
  expect(`${status} ${stderr}`).toBe('0 ');
  return parseAllDocuments(stdout)
    .map((document) => document.toJSON())
    .filter((manifest) => manifest !== null);
}

const byName = (manifests: Manifest[]) =>
  Object.fromEntries(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]));

const NO_CLOUD = { cloud: { enabled: false } };

describe.skipIf(!hasGo)('the chart', () => {
  it.skipIf(!hasKustomize).each<[string, Values]>([
    ['cloud-sqlite', {}],
    ['cloud-postgres', { cloud: { database: 'postgres' } }],
    ['agent-daemonset', { ...NO_CLOUD, agent: { enabled: true } }],
  ])('makes the same as %s, with labels and tags of its version', (base, over) => {
    const made = JSON.stringify(rendered(over), (key, value) => {
      if (key === 'labels') return { 'app.kubernetes.io/name': value['app.kubernetes.io/name'] };
      return key === 'image' ? value.replace(/:0\.\d+\.\d+$/, '') : value;
    });
    expect(byName(JSON.parse(made))).toEqual(byName(kustomized(join(root, 'deploy/kubernetes', base))));
  });

  it.each<[string, Values]>([
    ['on SQLite, with all values', { cloud: { ...cloudValues(), storage: '1Gi' }, agent: agentValues() }],
    ['on PostgreSQL', { cloud: { ...cloudValues(), database: 'postgres', replicas: 5 }, agent: agentValues() }],
  ])('makes what Kubernetes knows %s', (_, over) => {
    const manifests = rendered(over, 'other');
    for (const manifest of manifests) expect(() => checkManifest(manifest), manifest.kind).not.toThrow();
    const agent = byName(manifests)['DaemonSet other-agent']?.spec.template?.spec.containers[0];
    expect(agent).toMatchObject({
      image: 'registry.example.com/agent:1.2.3',
      env: [
        { name: 'SERVICE_CLOUD_URL', value: 'http://other-cloud:8080' },
        { name: 'SERVICE_MAX_AGE', value: '1h' },
      ],
      envFrom: [{ secretRef: { name: 'mine' } }],
      resources: { limits: { memory: '1Gi' }, requests: { cpu: '100m', memory: '96Mi' } },
    });
    const policy = byName(manifests)['NetworkPolicy other-cloud'];
    expect(policy?.spec).toMatchObject({ ingress: [{ from: [{ namespaceSelector: {} }] }] });
  });

  it('leaves as many replicas as all but one', () => {
    const manifests = byName(rendered({ cloud: { database: 'postgres', replicas: 5 } }));
    expect(manifests['PodDisruptionBudget authz-cloud']?.spec).toMatchObject({ minAvailable: 4 });
  });

  it('lets the operator of Prometheus scrape what is installed', () => {
    const monitors = (over: Values) =>
      rendered({ ...over, monitoring: { enabled: true } }).filter(({ kind }) => kind === 'ServiceMonitor');
    const monitor = (name: string) => ({
      apiVersion: 'monitoring.coreos.com/v1',
      metadata: { name },
      spec: {
        selector: { matchLabels: { 'app.kubernetes.io/name': name } },
        endpoints: [{ port: 'http', path: '/metrics', interval: '30s' }],
      },
    });
    const [agent, cloud] = [monitor('authz-agent'), monitor('authz-cloud')];
    expect(monitors({ agent: { enabled: true } })).toMatchObject([agent, cloud]);
    expect(monitors({})).toMatchObject([cloud]);
  });
});

describe('the values of the chart', () => {
  it.each<[string, Values]>([
    ['a misspelt name', { cloud: { replica: 3 } }],
    ['another database', { cloud: { database: 'mysql' } }],
    ['a single replica, which no other can stand in for', { cloud: { database: 'postgres', replicas: 1 } }],
    ['a credential among the settings', { agent: { settings: { SERVICE_API_KEY: 'svc_1' } } }],
    ['a setting that is no text', { agent: { settings: { SERVICE_DECISION_LOG: true } } }],
  ])('are refused with %s', (_, over) => {
    expect(validate(merged(defaults, over))).toBe(false);
  });

  it('have the version of the programs', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));
    expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});

function cloudValues(): Values {
  return { settings: { SERVICE_PUBLIC_URL: 'https://authz.example.com' }, from: [{ namespaceSelector: {} }] };
}

function agentValues(): Values {
  return {
    enabled: true,
    image: { repository: 'registry.example.com/agent', tag: '1.2.3' },
    secret: 'mine',
    settings: { SERVICE_MAX_AGE: '1h' },
    resources: { limits: { memory: '1Gi' } },
  };
}
