/** Writes zip archives, as much of them as a release needs: deflated files with their modes, the same bytes each time. */
import { crc32, deflateRawSync } from 'node:zlib';

/** 1 January 1980, the beginning of time in zip archives: when a file was made is nobody's business here. */
const DATE = 0x0021;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const MADE_BY_UNIX = 0x0314;
const REGULAR_FILE = 0o100000;

/** The fields that a file's own header and its line in the directory share (APPNOTE 4.3.7 and 4.3.12). */
function description({ name, data, packed }) {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(UTF8_NAMES, 2);
  fields.writeUInt16LE(DEFLATED, 4);
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

function signature(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** An archive of `{ name, data, mode }` files. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, data, mode } of files) {
    const packed = deflateRawSync(data);
    const shared = description({ name, data, packed });
    const header = Buffer.concat([signature(0x04034b50), shared, Buffer.from(name)]);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(MADE_BY_UNIX);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((REGULAR_FILE | mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([signature(0x02014b50), madeBy, shared, rest, Buffer.from(name)]));
    parts.push(header, packed);
    offset += header.length + packed.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, signature(0x06054b50), end]);
}
