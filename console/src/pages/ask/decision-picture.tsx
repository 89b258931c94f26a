import { Link } from '@tanstack/react-router';
import type { Edge as FlowEdge, Node as FlowNode } from '@xyflow/react';
import { useMemo } from 'react';
import { text } from '../../text/english.js';
import { Breakable } from '../../ui/breakable.js';
import { FlowPicture, useReveal } from '../structure/flow-picture.js';
import { layout, turned } from '../structure/layout.js';
import { canOpen, kindNameOf, labelOf } from '../structure/names.js';
import styles from '../structure/picture.module.css';
import { Ends } from '../structure/picture-nodes.js';
import { rankOf } from '../structure/ranks.js';
import type { DrawnPolicy, PathGraph } from './path-graph.js';

interface StepNodeData extends Record<string, unknown> {
  address: string;
  /** Whether it is a record that can be opened. */
  recorded: boolean;
  /** On the way that decided. */
  near: boolean;
  policy?: DrawnPolicy | undefined;
}
type StepNode = FlowNode<StepNodeData, 'step'>;

const NODE_TYPES = { step: StepView };

interface Props {
  graph: PathGraph;
  resource: string;
  /** Whether the resource has a record. */
  recorded: boolean;
}

/** The ways of an explanation as a picture; a press on a record opens it. */
export default function DecisionPicture({ graph: { nodes, steps, policies }, resource, recorded }: Props) {
  const points = useMemo(
    () =>
      turned(
        layout(
          nodes.map((id) => ({ id, rank: rankOf(id) })),
          steps.map(({ from, to }) => [from, to]),
        ),
      ),
    [nodes, steps],
  );
  const near = new Set(steps.flatMap(({ from, to, deciding }) => (deciding ? [from, to] : [])));
  const drawn = nodes.map((address) => ({
    id: address,
    type: 'step' as const,
    data: {
      address,
      recorded: canOpen(address) && (address !== resource || recorded),
      near: near.has(address),
      policy: policies.get(address),
    },
  }));
  const edges: FlowEdge[] = steps.map(({ from, to, place, deciding }) => ({
    id: `${from} ${to} ${place ?? ''}`,
    source: from,
    target: to,
    ...(place !== undefined && { label: text.structure.on(place) }),
    className: deciding ? styles.near : applies(policies.get(to) ?? policies.get(from)) ? styles.edge : styles.rest,
  }));
  const decided = [...policies].find(([, { deciding }]) => deciding)?.[0];
  return (
    <FlowPicture<StepNode>
      label={text.ask.pictureOf}
      middle={decided ?? nodes[0] ?? ''}
      points={points}
      nodes={drawn}
      edges={edges}
      nodeTypes={NODE_TYPES}
    />
  );
}

function applies(policy: DrawnPolicy | undefined): boolean {
  return policy === undefined || policy.outcome === 'applies';
}

function StepView({ data: { address, recorded, near, policy } }: { data: StepNodeData }) {
  const reveal = useReveal(address);
  const tone = policy?.deciding ? (policy.effect === 'ALLOW' ? styles.good : styles.bad) : undefined;
  const faint = policy !== undefined && !applies(policy);
  const className = [styles.node, near && !tone && styles.chosen, tone, faint && styles.faint]
    .filter(Boolean)
    .join(' ');
  const words = (
    <>
      <span className={styles.kind}>
        {[kindNameOf(address), policy && text.ask.cameOf(policy)].filter(Boolean).join(' · ')}
      </span>
      <span className={styles.name}>
        <Breakable text={labelOf(address)} />
      </span>
    </>
  );
  return (
    <>
      <Ends down />
      {recorded ? (
        <Link to="/record" search={{ address }} className={className} title={labelOf(address)} onFocus={reveal}>
          {words}
        </Link>
      ) : (
        <div className={className}>{words}</div>
      )}
    </>
  );
}
