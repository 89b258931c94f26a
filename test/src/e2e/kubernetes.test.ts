import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkManifest, hasKustomize, kustomized } from './kubernetes/manifests.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const bases = join(root, 'deploy/kubernetes');
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
      for (const manifest of kustomized(place))
        expect(() => checkManifest(manifest), `${place} ${manifest.kind}`).not.toThrow();
    const misspelt = { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 'eighty' }] } };
    expect(() => checkManifest(misspelt)).toThrow();
  });

  it('run their containers as nobody, without capabilities, on a root that cannot be written', () => {
    const seen: string[] = [];
    for (const { spec } of places().flatMap(kustomized)) {
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

  it('guard and count the pods of the cloud, and no others', () => {
    const ours = { matchLabels: { 'app.kubernetes.io/name': 'authz-cloud' } };
    const of = (place: string, kind: string) => kustomized(join(bases, place)).find((one) => one.kind === kind)?.spec;
    for (const place of ['cloud-sqlite', 'cloud-postgres'])
      expect(of(place, 'NetworkPolicy')).toMatchObject({ podSelector: ours });
    expect(of('cloud-postgres', 'PodDisruptionBudget')).toMatchObject({ selector: ours });
  });

  it('put the agent beside an application that asks for it, and beside no other', () => {
    const [shop] = kustomized(application);
    expect(shop?.spec.template?.spec).toMatchObject({
      containers: [{ name: 'shop' }],
      initContainers: [{ name: 'authz-agent', restartPolicy: 'Always' }],
    });
    const deployment = join(application, 'deployment.yaml');
    writeFileSync(deployment, readFileSync(deployment, 'utf8').replace('"authz-agent":"sidecar"', '"a":"b"'));
    expect(kustomized(application)[0]?.spec.template?.spec.initContainers).toBeUndefined();
  });
});
