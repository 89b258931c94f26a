import { spawnSync } from 'node:child_process';
import { DaemonSet } from 'kubernetes-models/apps/v1/DaemonSet';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';

/** The first versions that know components and labels came with kubectl 1.24. */
const version = String(spawnSync('kubectl', ['version', '--client', '--output', 'json']).stdout);
export const hasKustomize = /"kustomizeVersion": "v(?:4\.[5-9]|[5-9])/.test(version);
if (!hasKustomize) console.warn('NOT TESTED: the manifests for Kubernetes, for want of kubectl 1.24 or later');

interface Container {
  name: string;
  image: string;
  restartPolicy?: string;
  env?: { name: string; value?: string }[];
  securityContext?: object;
  volumeMounts?: { name: string }[];
}
interface Pod {
  containers: Container[];
  initContainers?: Container[];
  volumes?: { name: string }[];
  securityContext?: object;
}
export interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: { template?: { spec: Pod }; volumeClaimTemplates?: { metadata: { name: string } }[] };
}

/** Returns what `kubectl kustomize` makes of a folder. */
export function kustomized(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  expect(`${status} ${stderr}`).toBe('0 ');
  return parseAllDocuments(stdout).map((document) => document.toJSON());
}

const MODELS: Record<string, new (manifest: never) => { validate(): void }> = {
  ...{ DaemonSet, Deployment, NetworkPolicy, PodDisruptionBudget, Service, StatefulSet },
};

/** Throws where Kubernetes' schemas do not know a manifest. */
export function checkManifest(manifest: { kind: string }): void {
  const Model = MODELS[manifest.kind] ?? expect.fail(`no schema of ${manifest.kind}`);
  new Model(manifest as never).validate();
}
