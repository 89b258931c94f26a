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

/** A node of the code's tree: the next ones by bit, or the octet. */
type Node = { zero?: Node; one?: Node; octet?: number };

let tree: Node | undefined;

function makeTree(): Node {
  const root: Node = {};
  let code = 0;
  let codeLength = 0;
  for (const [length, octets] of OCTETS_BY_LENGTH) {
    code *= 2 ** (length - codeLength);
    codeLength = length;
    for (const octet of listed(octets)) {
      let node = root;
      for (let bit = length - 1; bit >= 0; bit--) {
        const side = Math.floor(code / 2 ** bit) % 2 === 1 ? 'one' : 'zero';
        node[side] ??= {};
        node = node[side];
      }
      node.octet = octet;
      code += 1;
    }
  }
  return root;
}

function* listed(ranges: string): Generator<number> {
  for (const range of ranges.split(' ')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let octet = first; octet <= last; octet++) yield octet;
  }
}

/** Throws where the bits are no code, or where more than padding is left after the last one. */
export function huffmanDecode(coded: Uint8Array): Uint8Array {
  tree ??= makeTree();
  const octets: number[] = [];
  let node = tree;
  let padding = 0;
  let onlyOnes = true;
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      const one = ((byte >> bit) & 1) === 1;
      const next: Node | undefined = one ? node.one : node.zero;
      if (next === undefined) throw new Error('a header string has an unknown code');
      padding += 1;
      onlyOnes &&= one;
      node = next;
      if (next.octet === undefined) continue;
      octets.push(next.octet);
      node = tree;
      padding = 0;
      onlyOnes = true;
    }
  }
  if (padding > 7 || !onlyOnes) throw new Error('a header string ends in the middle of a code');
  return Uint8Array.from(octets);
}
