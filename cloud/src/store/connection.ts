import sqlite3 from 'sqlite3';

/** How long to wait for another process that holds the file briefly. */
const BUSY_MS = 1000;

/** A plain connection to an SQLite file, for work outside the store. */
export class Connection {
  private constructor(private readonly database: sqlite3.Database) {}

  /** Creates a missing file, unless it must be `present`. */
  static async open(filename: string, { present = false } = {}): Promise<Connection> {
    const mode = present ? sqlite3.OPEN_READWRITE : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(filename, mode, (error) => (error ? reject(error) : resolve(opened)));
    });
    database.configure('busyTimeout', BUSY_MS);
    return new Connection(database);
  }

  /** Runs one statement. */
  async run(sql: string, ...values: string[]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.database.run(sql, values, (error) => (error ? reject(error) : resolve()));
    });
  }

  async all<Row>(sql: string): Promise<Row[]> {
    return await new Promise<Row[]>((resolve, reject) => {
      this.database.all<Row>(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  /** Makes the running statement fail. */
  interrupt(): void {
    this.database.interrupt();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.database.close(() => resolve()));
  }
}
