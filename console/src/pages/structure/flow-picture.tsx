import '@xyflow/react/dist/base.css';
import {
  Controls,
  type Edge as FlowEdge,
  type Node as FlowNode,
  MarkerType,
  type NodeTypes,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { type CSSProperties, createContext, type FocusEvent, useContext, useMemo, useRef } from 'react';
import { text } from '../../text/english.js';
import { NODE, offsetOf, type Point } from './layout.js';
import styles from './picture.module.css';

/** Smaller letters cannot be read: the picture is then moved, not shrunk. */
const READABLE = 0.75;
const MARGIN = 24;
/** The buttons for zooming stand in a row at the top, where they would cover a node. */
const BUTTONS = 56;

const LABELS = {
  'controls.ariaLabel': text.structure.zoom.controls,
  'controls.zoomIn.ariaLabel': text.structure.zoom.in,
  'controls.zoomOut.ariaLabel': text.structure.zoom.out,
  'controls.fitView.ariaLabel': text.structure.zoom.fit,
};

const Reveal = createContext<(id: string) => void>(() => {});

/** For what can be focused in a node: moves the node into the frame when the keyboard has reached it. */
export function useReveal(id: string): (event: FocusEvent<HTMLElement>) => void {
  const reveal = useContext(Reveal);
  // A press of the mouse focuses, too, and must not move what is pressed.
  return ({ currentTarget }) => {
    if (currentTarget.matches(':focus-visible')) reveal(id);
  };
}

interface Props<N extends FlowNode> {
  label: string;
  /** The node in the middle, if not all of the picture fits. */
  middle: string;
  /** The position of each node, by its id. */
  points: ReadonlyMap<string, Point>;
  nodes: readonly Omit<N, 'position'>[];
  edges: readonly FlowEdge[];
  nodeTypes: NodeTypes;
}

/** A picture of nodes and arrows that can be moved and sized, and changes nothing. */
export function FlowPicture<N extends FlowNode>({ label, middle, points, nodes, edges, nodeTypes }: Props<N>) {
  const frame = useRef<HTMLElement>(null);
  const flow = useRef<ReactFlowInstance<N> | null>(null);
  const center = (id: string) => {
    const { x, y } = points.get(id) ?? { x: 0, y: 0 };
    return { x: x + NODE.width / 2, y: y + NODE.height / 2 };
  };
  const reveal = useMemo(
    () => (id: string) => {
      const { x, y } = points.get(id) ?? { x: 0, y: 0 };
      const zoom = flow.current?.getZoom() ?? 1;
      void flow.current?.setCenter(x + NODE.width / 2, y + NODE.height / 2, { zoom });
    },
    [points],
  );
  const { left, top, width, height } = extentOf([...points.values()]);
  const begin = (instance: ReactFlowInstance<N>) => {
    flow.current = instance;
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    const fits = Math.min((clientWidth - 2 * MARGIN) / width, (clientHeight - BUTTONS - MARGIN) / height);
    const at = center(middle);
    const x = offsetOf({
      frame: clientWidth,
      from: left,
      size: width,
      middle: at.x,
      zoom: READABLE,
      margins: [MARGIN, MARGIN],
    });
    const y = offsetOf({
      frame: clientHeight,
      from: top,
      size: height,
      middle: at.y,
      zoom: READABLE,
      margins: [BUTTONS, MARGIN],
    });
    if (fits < READABLE) void instance.setViewport({ x, y, zoom: READABLE });
    else
      void instance.fitView({ maxZoom: 1, padding: { x: `${MARGIN}px`, top: `${BUTTONS}px`, bottom: `${MARGIN}px` } });
  };
  return (
    <section
      ref={frame}
      className={styles.picture}
      style={{ '--content': `${height + BUTTONS + MARGIN}px` } as CSSProperties}
      aria-label={label}
    >
      <Reveal value={reveal}>
        <ReactFlow<N>
          nodes={nodes.map((node) => ({ ...node, ...NODE, position: points.get(node.id) ?? { x: 0, y: 0 } }) as N)}
          edges={edges.map((edge) => ({
            ...edge,
            focusable: false,
            markerEnd: { type: MarkerType.ArrowClosed, color: 'currentColor' },
          }))}
          nodeTypes={nodeTypes}
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
          <Controls showInteractive={false} orientation="horizontal" position="top-right" />
        </ReactFlow>
      </Reveal>
    </section>
  );
}

/** Returns the place and size of what has the points as its corners. */
function extentOf(points: readonly Point[]) {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return {
    left,
    top,
    width: NODE.width + Math.max(...xs) - left,
    height: NODE.height + Math.max(...ys) - top,
  };
}
