import '@xyflow/react/dist/base.css';
import type { Address, Kind } from '@authz-service/sdk/wire';
import {
  Controls,
  type Edge as FlowEdge,
  type Node as FlowNode,
  MarkerType,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { useMemo, useRef } from 'react';
import { text } from '../../text/english.js';
import { kindOf } from '../../ui/record-link.js';
import { type Graph, keyOf } from './graph.js';
import { layout, NODE } from './layout.js';
import { labelOf } from './names.js';
import styles from './picture.module.css';
import { RecordNode, type RecordNodeData, RestNode, type RestNodeData } from './picture-nodes.js';

/** Smaller letters cannot be read: the picture is then moved, not shrunk. */
const READABLE = 0.75;
const MARGIN = 24;

const RANKS: { readonly [K in Kind | 'everyone']?: number } = {
  everyone: 0,
  subject: 0,
  group: 1,
  role: 2,
  policy: 3,
  resource: 4,
  resource_type: 5,
};
const RANK_OF_OTHERS = 6;

const NODE_TYPES = { record: RecordNode, rest: RestNode };
const LABELS = {
  'controls.ariaLabel': text.structure.zoom.controls,
  'controls.zoomIn.ariaLabel': text.structure.zoom.in,
  'controls.zoomOut.ariaLabel': text.structure.zoom.out,
  'controls.fitView.ariaLabel': text.structure.zoom.fit,
};

type PictureNode = FlowNode<RecordNodeData, 'record'> | FlowNode<RestNodeData, 'rest'>;

interface Props {
  graph: Graph;
  focus: Address;
  chosen: Address;
  opened: readonly Address[];
  onPress: (address: Address) => void;
}

export default function Picture({ graph, focus, chosen, opened, onPress }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const flow = useRef<ReactFlowInstance<PictureNode> | null>(null);
  const points = useMemo(() => placesOf(graph), [graph]);
  const middle = (id: string) => {
    const { x, y } = points.get(id) ?? { x: 0, y: 0 };
    return { x: x + NODE.width / 2, y: y + NODE.height / 2 };
  };
  /** Moves what the keyboard has reached into the frame. */
  const reveal = (id: string) => {
    const { x, y } = middle(id);
    void flow.current?.setCenter(x, y, { zoom: flow.current.getZoom() });
  };
  const nodes: PictureNode[] = [
    ...graph.nodes.map((address) => ({
      id: address,
      type: 'record' as const,
      position: points.get(address) ?? { x: 0, y: 0 },
      data: {
        address,
        focus: address === focus,
        chosen: address === chosen,
        opened: opened.includes(address),
        onPress,
        onReveal: reveal,
      },
    })),
    ...graph.rests.map((rest) => ({
      id: rest.id,
      type: 'rest' as const,
      position: points.get(rest.id) ?? { x: 0, y: 0 },
      data: { rest, onReveal: reveal },
    })),
  ].map((node) => ({ ...node, ...NODE }));
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
  ].map((edge) => ({ ...edge, focusable: false, markerEnd: { type: MarkerType.ArrowClosed, color: 'currentColor' } }));
  const begin = (instance: ReactFlowInstance<PictureNode>) => {
    flow.current = instance;
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    const spread = [...points.values()];
    const width = NODE.width + Math.max(...spread.map(({ x }) => x)) - Math.min(...spread.map(({ x }) => x));
    const height = NODE.height + Math.max(...spread.map(({ y }) => y)) - Math.min(...spread.map(({ y }) => y));
    const fits = Math.min((clientWidth - 2 * MARGIN) / width, (clientHeight - 2 * MARGIN) / height);
    const { x, y } = middle(focus);
    if (fits < READABLE) void instance.setCenter(x, y, { zoom: READABLE });
    else void instance.fitView({ maxZoom: 1, padding: `${MARGIN}px` });
  };
  return (
    <section ref={frame} className={styles.picture} aria-label={text.structure.pictureOf(labelOf(focus))}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        ariaLabelConfig={LABELS}
        onInit={begin}
        minZoom={0.3}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        // The wheel scrolls the page.
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

function placesOf({ nodes, edges, rests }: Graph) {
  const rankOf = (kind: Kind) => RANKS[kind] ?? RANK_OF_OTHERS;
  return layout(
    [
      ...nodes.map((id) => ({ id, rank: rankOf(kindOf(id)) })),
      ...rests.map(({ id, kind }) => ({ id, rank: rankOf(kind) })),
    ],
    [
      ...edges.map(({ from, to }) => [from, to] as const),
      ...rests.map(({ id, of, inward }) => (inward ? ([id, of] as const) : ([of, id] as const))),
    ],
  );
}
