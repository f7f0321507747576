import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** What nobody can make with SQL: pages of a database that lead somewhere else than SQLite would have them. */

const pageSize = 4_096;
const fileHeader = 100;
const [tableInterior, tableLeaf, indexInterior, indexLeaf] = [5, 13, 2, 10];

/** A search of `events` behind the middle comes out before it, for ever. Needs some hundred events. */
export function leadInCircle(path: string): void {
  const bytes = readFileSync(path);
  const root = pageOf(path, "events");
  const leaves = [...cellsOf(bytes, root).map((cell) => bytes.readUInt32BE(cell)), bytes.readUInt32BE(at(root) + 8)];
  const middle = leaves.findIndex((leaf) => rowOf(bytes, cellsOf(bytes, leaf)[0] ?? 0).id > 200);
  const [here = 0, behind = 0] = leaves.slice(middle);
  // Each of these numbers takes two bytes, and so does what replaces it.
  const renumber = (cell: number, id: number) => bytes.set([0x80, id], rowOf(bytes, cell).offset);
  for (const cell of cellsOf(bytes, here)) renumber(cell, 5);
  renumber(cellsOf(bytes, behind)[0] ?? 0, 2);
  writeFileSync(path, bytes);
}

/** Behind its rows the table goes on with pages that share their children: there are more ways through than ever end. */
export function shareChildren(path: string, table: string, row: readonly (string | number)[]): void {
  const root = pageOf(path, table);
  const bytes = readFileSync(path);
  const first = bytes.length / pageSize + 1;
  const isTable = [tableInterior, tableLeaf].includes(bytes[at(root)] ?? 0);
  const content = recordOf(isTable ? [null, ...row] : row);
  const cell = Buffer.from([content.length, ...(isTable ? [0xff, 0x7f] : []), ...content]);
  const key = isTable ? Buffer.from([0xff, 0x7f]) : cell;
  const interior = (children: readonly number[], right: number) => {
    const cells = children.map((child) => Buffer.concat([numberOf(child), key]));
    return pageWith(isTable ? tableInterior : indexInterior, cells, numberOf(right));
  };
  const depth = 12;
  const shared = Array.from({ length: depth }, (_, level) => first + 1 + level);
  const pages = [
    Buffer.from(bytes.subarray(at(root), at(root) + pageSize)),
    ...shared.map((page) => interior(Array(40).fill(page + 1), page + 1)),
    pageWith(isTable ? tableLeaf : indexLeaf, Array(20).fill(cell)),
  ];
  bytes.set(interior([first], first + 1), at(root));
  bytes.writeUInt32BE(bytes.length / pageSize + pages.length, 28);
  writeFileSync(path, Buffer.concat([bytes, ...pages]));
}

function pageOf(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  database.close();
  return Number(row?.rootpage);
}

function at(page: number): number {
  return (page - 1) * pageSize;
}

function cellsOf(bytes: Buffer, page: number, header = 0): readonly number[] {
  const start = at(page) + header;
  const pointers = start + ([tableInterior, indexInterior].includes(bytes[start] ?? 0) ? 12 : 8);
  return Array.from(
    { length: bytes.readUInt16BE(start + 3) },
    (_, index) => at(page) + bytes.readUInt16BE(pointers + 2 * index),
  );
}

/** The number of the row in this cell of a leaf and where it stands, and how long the row is. */
function rowOf(bytes: Buffer, cell: number): { readonly id: number; readonly offset: number; readonly length: number } {
  const [length, offset] = variable(bytes, cell);
  const [id] = variable(bytes, offset);
  return { id, offset, length };
}

function variable(bytes: Buffer, from: number): readonly [value: number, end: number] {
  let value = 0;
  for (let place = from; ; place += 1) {
    const byte = bytes[place] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, place + 1];
  }
}

function recordOf(values: readonly (string | number | null)[]): Buffer {
  const types = values.map((value) => (value === null ? 0 : typeof value === "number" ? 1 : 13 + 2 * value.length));
  const parts = values.map((value) => (typeof value === "number" ? Buffer.from([value]) : Buffer.from(value ?? "")));
  return Buffer.concat([Buffer.from([types.length + 1, ...types]), ...parts]);
}

function numberOf(page: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(page);
  return bytes;
}

function pageWith(type: number, cells: readonly Buffer[], right: Uint8Array = Buffer.alloc(0)): Buffer {
  const page = Buffer.alloc(pageSize);
  let end = pageSize;
  page[0] = type;
  page.writeUInt16BE(cells.length, 3);
  page.set(right, 8);
  cells.forEach((cell, index) => {
    end -= cell.length;
    page.set(cell, end);
    page.writeUInt16BE(end, 8 + right.length + 2 * index);
  });
  page.writeUInt16BE(end, 5);
  return page;
}

/** The same with what the file says of its tables. */
export function shareSchema(path: string, table: string): void {
  const bytes = readFileSync(path);
  const root = pageOf(path, table);
  const first = bytes.length / pageSize + 1;
  const content = recordOf(["index", `sqlite_autoindex_${table}_1`, table, root, null]);
  const cell = Buffer.from([content.length, 100, ...content]);
  const interior = (children: readonly number[], right: number) => {
    const cells = children.map((child) => Buffer.concat([numberOf(child), Buffer.from([100])]));
    return pageWith(tableInterior, cells, numberOf(right));
  };
  const shared = Array.from({ length: 12 }, (_, level) => first + 1 + level);
  const own = cellsOf(bytes, 1, fileHeader).map((offset) => {
    const { id, offset: at, length } = rowOf(bytes, offset);
    return bytes.subarray(offset, at + (id < 128 ? 1 : 2) + length);
  });
  const pages = [
    pageWith(tableLeaf, own),
    ...shared.map((page) => interior(Array(40).fill(page + 1), page + 1)),
    pageWith(tableLeaf, Array(20).fill(cell)),
  ];
  const top = interior([first], first + 1);
  // The header of the file stands before that of the page; its one cell lies at the end of both.
  bytes.set(top.subarray(0, 20), fileHeader);
  bytes.set(top.subarray(pageSize - 10), pageSize - 10);
  bytes.writeUInt32BE(bytes.length / pageSize + pages.length, 28);
  writeFileSync(path, Buffer.concat([bytes, ...pages]));
}
