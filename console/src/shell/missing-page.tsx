import { Link } from '@tanstack/react-router';
import { text } from '../text/english.js';
import { Empty } from '../ui/empty.js';

export function MissingPage() {
  return (
    <main>
      <Empty title={text.errors.unknownPage}>
        <p>{text.errors.unknownPageWhy}</p>
        <p>
          <Link to="/">{text.errors.toOverview}</Link>
        </p>
      </Empty>
    </main>
  );
}
