import type { Address } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';
import { Handle, Position } from '@xyflow/react';
import type { FocusEvent } from 'react';
import { kindOf } from '../../ui/record-link.js';
import type { Rest } from './graph.js';
import { canOpen, kindNameOf, labelOf, labelOfRest } from './names.js';
import styles from './picture.module.css';

export interface RecordNodeData extends Record<string, unknown> {
  address: Address;
  focus: boolean;
  chosen: boolean;
  opened: boolean;
  onPress: (address: Address) => void;
  onReveal: (id: string) => void;
}

export function RecordNode({ data }: { data: RecordNodeData }) {
  const { address, focus, chosen, opened, onPress, onReveal } = data;
  const words = (
    <>
      <span className={styles.kind}>{kindNameOf(address)}</span>
      <span className={styles.name}>{labelOf(address)}</span>
    </>
  );
  const names = [styles.node, focus && styles.focus, chosen && styles.chosen].filter(Boolean).join(' ');
  return (
    <>
      <Ends />
      {canOpen(address) ? (
        <button
          type="button"
          className={names}
          data-kind={kindOf(address)}
          title={labelOf(address)}
          aria-expanded={opened}
          onClick={() => onPress(address)}
          onFocus={(event) => reached(event, () => onReveal(address))}
        >
          {words}
        </button>
      ) : (
        <div className={names}>{words}</div>
      )}
    </>
  );
}

export interface RestNodeData extends Record<string, unknown> {
  rest: Rest;
  onReveal: (id: string) => void;
}

/** Leads to the page of the record whose links they are: it has all of them. */
export function RestNode({ data: { rest, onReveal } }: { data: RestNodeData }) {
  return (
    <>
      <Ends />
      <Link
        to="/record"
        search={{ address: rest.of }}
        className={`${styles.node} ${styles.more}`}
        onFocus={(event) => reached(event, () => onReveal(rest.id))}
      >
        {labelOfRest(rest)}
      </Link>
    </>
  );
}

/** Where the lines of a node begin and end. */
function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className={styles.end} />
      <Handle type="source" position={Position.Right} isConnectable={false} className={styles.end} />
    </>
  );
}

/** A press of the mouse focuses, too, and must not move what is pressed. */
function reached({ currentTarget }: FocusEvent<HTMLElement>, then: () => void): void {
  if (currentTarget.matches(':focus-visible')) then();
}
