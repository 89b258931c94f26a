/** The Huffman code of HTTP/2's header strings (RFC 7541 section 5.2 and appendix B). */

/**
 * The octets by the length of their code, in ascending order; within one length codes count upwards in this order, and
 * each length goes on where the one before it ended. `-` joins the ends of a range.
 */
const OCTETS_BY_LENGTH: ReadonlyMap<number, string> = new Map([
  [5, '48-50 97 99 101 105 111 115 116'],
  [6, '32 37 45-47 51-57 61 65 95 98 100 102-104 108-110 112 114 117'],
  [7, '58 66-87 89 106 107 113 118-122'],
  [8, '38 42 44 59 88 90'],
  [10, '33 34 40 41 63'],
  [11, '39 43 124'],
  [12, '35 62'],
  [13, '0 36 64 91 93 126'],
  [14, '94 125'],
  [15, '60 96 123'],
  [19, '92 195 208'],
  [20, '128 130 131 162 184 194 224 226'],
  [21, '153 161 167 172 176 177 179 209 216 217 227 229 230'],
  [22, '129 132-134 136 146 154 156 160 163 164 169 170 173 178 181 185-187 189 190 196 198 228 232 233'],
  [23, '1 135 137-141 143 147 149-152 155 157 158 165 166 168 174 175 180 182 183 188 191 197 231 239'],
  [24, '9 142 144 145 148 159 171 206 215 225 236 237'],
  [25, '199 207 234 235'],
  [26, '192 193 200-202 205 210 213 218 219 238 240 242 243 255'],
  [27, '203 204 211 212 214 221-223 241 244-248 250-254'],
  [28, '2-8 11 12 14-21 23-31 127 220 249'],
  [30, '10 13 22'],
]);

/** The codes of one length: they count upwards from the first, as their octets stand here. */
interface Codes {
  first: number;
  octets: readonly number[];
}

/** By length in bits. */
let codes: readonly (Codes | undefined)[] | undefined;

function makeCodes(): readonly (Codes | undefined)[] {
  const made: Codes[] = [];
  let first = 0;
  let before = 0;
  for (const [length, ranges] of OCTETS_BY_LENGTH) {
    first *= 2 ** (length - before);
    before = length;
    const octets = [...listed(ranges)];
    made[length] = { first, octets };
    first += octets.length;
  }
  return made;
}

function* listed(ranges: string): Generator<number> {
  for (const range of ranges.split(' ')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let octet = first; octet <= last; octet++) yield octet;
  }
}

/** Throws where the bits are no code, or where more than padding is left after the last one. */
export function huffmanDecode(coded: Uint8Array): Uint8Array {
  codes ??= makeCodes();
  const decoded: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      if (length >= codes.length) throw new Error('a header string has an unknown code');
      const { first = 0, octets = [] } = codes[length] ?? {};
      // What begins a longer code lies above all codes of this length.
      const octet = octets[code - first];
      if (octet === undefined) continue;
      decoded.push(octet);
      code = 0;
      length = 0;
    }
  }
  const onlyOnes = code === 2 ** length - 1;
  if (length > 7 || !onlyOnes) throw new Error('a header string ends in the middle of a code');
  return Uint8Array.from(decoded);
}
