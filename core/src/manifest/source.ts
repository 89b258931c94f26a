import type { Address } from '../records/address.js';
import type { ManifestFault, SourcePlace } from './manifest.js';
import type { YamlNode } from './yaml-node.js';

/** A text without the byte order mark that editors may begin a file with. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The text of one file. Lines are counted only when a place is asked for, since most files have no fault. */
export class Source {
  private lineStarts: number[] | undefined;

  constructor(
    readonly file: string,
    readonly text: string,
  ) {}

  /** The place of the character at `offset`. */
  place(offset: number): SourcePlace {
    this.lineStarts ??= lineStartsOf(this.text);
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (this.lineStarts[low] ?? 0) + 1 };
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The subject of a fault: the words before the colon, and the record if there is one. */
export interface About {
  label: string;
  address?: Address;
  pointer?: string;
}

/** A node that stands in a document of another file: where it is written, and the place that it was put to. */
export interface Borrowed {
  source: Source;
  at: string;
}

/** Everything found so far, in the order of finding. */
export class Findings {
  /** Nodes that an environment has put into documents of its base. */
  readonly borrowed = new Map<YamlNode, Borrowed>();
  readonly faults: ManifestFault[] = [];
  readonly warnings: ManifestFault[] = [];
  /** Text that could not be read: it may declare what is mentioned elsewhere. */
  readonly unread: string[] = [];

  fault(source: Source, offset: number, about: About, text: string): void {
    this.faults.push(finding(source, offset, about, text));
  }

  warning(source: Source, offset: number, about: About, text: string): void {
    this.warnings.push(finding(source, offset, about, text));
  }
}

function finding(source: Source, offset: number, about: About, text: string): ManifestFault {
  const { label, address, pointer } = about;
  const detail = label === '' ? text : `${label}: ${text}`;
  return {
    ...source.place(offset),
    ...(address !== undefined && { address }),
    ...(pointer !== undefined && { pointer }),
    detail,
  };
}

/** `FILE:LINE:COLUMN`, for texts that name a second place. */
export function placeText({ file, line, column }: SourcePlace): string {
  return `${file}:${line}:${column}`;
}

/** The order of reading: file, line, column. */
export function byPlace(left: ManifestFault, right: ManifestFault): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}
