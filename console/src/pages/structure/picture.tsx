import type { Address } from '@authz-service/sdk/wire';
import type { Edge as FlowEdge, Node as FlowNode } from '@xyflow/react';
import { useMemo } from 'react';
import { text } from '../../text/english.js';
import { FlowPicture } from './flow-picture.js';
import { type Graph, keyOf, type Rest } from './graph.js';
import { layout } from './layout.js';
import { labelOf } from './names.js';
import styles from './picture.module.css';
import { RecordNode, type RecordNodeData, RestNode, type RestNodeData } from './picture-nodes.js';
import { rankOf, rankOfKind } from './ranks.js';

const NODE_TYPES = { record: RecordNode, rest: RestNode };

type PictureNode = FlowNode<RecordNodeData, 'record'> | FlowNode<RestNodeData, 'rest'>;

interface Props {
  graph: Graph;
  focus: Address;
  chosen: Address;
  opened: readonly Address[];
  /** The policies that deny. */
  denying: ReadonlySet<Address>;
  onMore: (rest: Rest) => void;
  onPress: (address: Address) => void;
}

export default function Picture({ graph, focus, chosen, opened, denying, onMore, onPress }: Props) {
  const points = useMemo(() => placesOf(graph), [graph]);
  const nodes: Omit<PictureNode, 'position'>[] = [
    ...graph.nodes.map((address) => ({
      id: address,
      type: 'record' as const,
      data: {
        address,
        focus: address === focus,
        chosen: address === chosen,
        opened: opened.includes(address),
        denies: denying.has(address),
        onPress,
      },
    })),
    ...graph.rests.map((rest) => ({ id: rest.id, type: 'rest' as const, data: { rest, onMore } })),
  ];
  const edges: FlowEdge[] = [
    ...graph.edges.map((edge) => ({
      id: keyOf(edge),
      source: edge.from,
      target: edge.to,
      ...(edge.place !== undefined && { label: text.structure.on(edge.place) }),
      className: edge.from === chosen || edge.to === chosen ? styles.near : styles.edge,
    })),
    ...graph.rests.map(({ id, of, inward }) => ({
      id: `to ${id}`,
      source: inward ? id : of,
      target: inward ? of : id,
      className: styles.rest,
    })),
  ];
  return (
    <FlowPicture<PictureNode>
      label={text.structure.pictureOf(labelOf(focus))}
      middle={focus}
      points={points}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
    />
  );
}

function placesOf({ nodes, edges, rests }: Graph) {
  return layout(
    [
      ...nodes.map((id) => ({ id, rank: rankOf(id) })),
      ...rests.map(({ id, kind }) => ({ id, rank: rankOfKind(kind) })),
    ],
    [
      ...edges.map(({ from, to }) => [from, to] as const),
      ...rests.map(({ id, of, inward }) => (inward ? ([id, of] as const) : ([of, id] as const))),
    ],
  );
}
