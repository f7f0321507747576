/** `struct sock_filter`: an instruction of the kernel's packet filter, which is also its language for system calls. */
export interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

export const load = (offset: number): Instruction => ({ code: 0x20, whenTrue: 0, whenFalse: 0, value: offset });
export const keepBits = (mask: number): Instruction => ({ code: 0x54, whenTrue: 0, whenFalse: 0, value: mask });
export const give = (value: number): Instruction => ({ code: 0x06, whenTrue: 0, whenFalse: 0, value });

export function ifEqual(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

export function unlessEqual(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 1, whenFalse: 0, value }, give(result)];
}

export function ifAtLeast(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x35, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

export function ifAnyBit(mask: number, result: number): readonly Instruction[] {
  return [{ code: 0x45, whenTrue: 0, whenFalse: 1, value: mask }, give(result)];
}

export function ifNoBit(mask: number, result: number): readonly Instruction[] {
  return [{ code: 0x45, whenTrue: 1, whenFalse: 0, value: mask }, give(result)];
}

/** `steps` must end in an answer: they leave something else than what was compared in the accumulator. */
export function onlyFor(value: number, steps: readonly Instruction[]): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 0, whenFalse: steps.length, value }, ...steps];
}

export function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, whenTrue, whenFalse, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, whenTrue);
    bytes.setUint8(index * 8 + 3, whenFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
