import { Link } from '@tanstack/react-router';
import { Breakable } from './breakable.js';

/** Leads from the path of a subject to what it can do. */
export function PersonLink({ subject, children }: { subject: string; children?: string | undefined }) {
  return (
    <Link to="/person" search={{ subject }}>
      <Breakable text={children ?? subject} />
    </Link>
  );
}
