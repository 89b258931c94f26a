import { Construct } from 'constructs';
import type { Entity, Provided } from './entity.js';
import { Subject as SubjectRecord } from './generated/subject.js';
import { fixed, json } from './given.js';
import { options, placeOf } from './options/options.js';

export interface SubjectProps extends Provided {
  /** The type of subject. Default: `user`. */
  readonly type?: string;
  /** The caller's own identifier. Default: the construct's id. */
  readonly id?: string;
  /** A display name. */
  readonly name?: string;
  /** Stored attributes for conditions. */
  readonly properties?: Record<string, unknown>;
}

/** A person, a service or anything else that acts. */
export class Subject extends Construct implements Entity<'subject'> {
  readonly entityType = 'subject';
  readonly record: SubjectRecord;

  constructor(scope: Construct, id: string, props: SubjectProps = {}) {
    const known = { type: true, id: true, name: true, properties: true, provider: true } as const;
    const { type = 'user', id: own = id, name, properties, provider } = options(placeOf(scope, id), props, known);
    super(scope, fixed(id));
    this.record = new SubjectRecord(this, 'Resource', {
      type,
      id: own,
      name,
      properties: properties && json(properties),
      provider,
    });
  }

  get path(): string {
    return this.record.path;
  }
}
