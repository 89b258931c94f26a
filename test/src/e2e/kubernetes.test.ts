import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DaemonSet } from 'kubernetes-models/apps/v1/DaemonSet';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bases = join(root, 'deploy/kubernetes');
/** The first versions that know components and labels came with kubectl 1.24. */
const version = String(spawnSync('kubectl', ['version', '--client', '--output', 'json']).stdout);
const hasKustomize = /"kustomizeVersion": "v(?:4\.[5-9]|[5-9])/.test(version);
if (!hasKustomize) console.warn('NOT TESTED: the manifests for Kubernetes, for want of kubectl 1.24 or later');

const MODELS = { DaemonSet, Deployment, NetworkPolicy, PodDisruptionBudget, Service, StatefulSet };

interface Container {
  name: string;
  image: string;
  restartPolicy?: string;
  env?: { name: string; value?: string }[];
  securityContext?: object;
  volumeMounts?: { name: string }[];
}
interface Manifest {
  kind: keyof typeof MODELS;
  spec: { template?: { spec: Pod }; volumeClaimTemplates?: { metadata: { name: string } }[] };
}
interface Pod {
  containers: Container[];
  initContainers?: Container[];
  volumes?: { name: string }[];
  securityContext?: object;
}

function rendered(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  expect(`${status} ${stderr}`).toBe('0 ');
  return parseAllDocuments(stdout).map((document) => document.toJSON());
}

let folder: string;
/** An application that takes the sidecar. */
let application: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-kubernetes-'));
  application = folder;
  const deployment = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'shop', labels: { 'authz-agent': 'sidecar' } },
    spec: {
      selector: { matchLabels: { app: 'shop' } },
      template: {
        metadata: { labels: { app: 'shop' } },
        spec: { containers: [{ name: 'shop', image: 'shop' }] },
      },
    },
  };
  const components = [relative(folder, join(bases, 'agent-sidecar'))];
  const kustomization = { resources: ['deployment.yaml'], components };
  writeFileSync(join(folder, 'deployment.yaml'), JSON.stringify(deployment));
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The settings that the tables of cloud and agent name. */
const SETTINGS = new Set(
  ['cloud/README.md', 'docs/agent.md'].flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\b(?:SERVICE|DATABASE)_[A-Z_]+\b/g)].map(([name]) => name),
  ),
);

describe.skipIf(!hasKustomize)('the manifests for Kubernetes', () => {
  const places = () => [
    ...['cloud-sqlite', 'cloud-postgres', 'agent-daemonset'].map((name) => join(bases, name)),
    application,
  ];

  it('are what Kubernetes knows', () => {
    for (const place of places())
      for (const manifest of rendered(place)) {
        const Model = MODELS[manifest.kind];
        expect(() => new Model(manifest as never).validate(), `${place} ${manifest.kind}`).not.toThrow();
      }
    const misspelt = { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 'eighty' }] } };
    expect(() => new Service(misspelt as never).validate()).toThrow();
  });

  it('run their containers as nobody, without capabilities, on a root that cannot be written', () => {
    const seen: string[] = [];
    for (const { spec } of places().flatMap(rendered)) {
      if (spec.template === undefined) continue;
      const { containers, initContainers = [], volumes = [], securityContext } = spec.template.spec;
      const volumesNamed = [...volumes, ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)];
      for (const one of [...containers, ...initContainers].filter(({ image }) => image.startsWith('service-'))) {
        seen.push(one.image);
        expect({ ...securityContext, ...one.securityContext }).toMatchObject({
          ...{ runAsNonRoot: true, runAsUser: 65532, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const { name } of one.volumeMounts ?? [])
          expect(volumesNamed.map((volume) => volume.name)).toContain(name);
        for (const { name } of one.env ?? []) expect(SETTINGS).toContain(name);
      }
    }
    expect(seen).toEqual(['service-cloud', 'service-cloud', 'service-agent', 'service-agent']);
  });

  it('put the agent beside an application that asks for it, and beside no other', () => {
    const [shop] = rendered(application);
    expect(shop?.spec.template?.spec).toMatchObject({
      containers: [{ name: 'shop' }],
      initContainers: [{ name: 'authz-agent', restartPolicy: 'Always' }],
    });
    const deployment = join(application, 'deployment.yaml');
    writeFileSync(deployment, readFileSync(deployment, 'utf8').replace('"authz-agent":"sidecar"', '"a":"b"'));
    expect(rendered(application)[0]?.spec.template?.spec.initContainers).toBeUndefined();
  });
});
