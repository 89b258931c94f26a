/** How long a caller who has been answered may go on writing. */
const LINGER_MS = 5_000;

/** What this needs of a `Socket` of `node:net`. */
interface Connection {
  destroySoon(): void;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Has Node's HTTP server end a connection in the stages of RFC 9112 section 9.6 after the answer that is its last: it
 * calls `destroySoon`, which would reset the connection while bytes of the request are unread, and a caller who is still
 * writing might never read the answer. The rest of the request must be read and thrown away.
 */
export function closeLingering(connection: Connection): void {
  connection.destroySoon = () => {
    const cut = setTimeout(() => connection.destroy(), LINGER_MS);
    connection.once('close', () => clearTimeout(cut));
    connection.end();
  };
}
