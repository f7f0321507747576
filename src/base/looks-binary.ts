const ofText = [9, 10, 11, 12, 13, 27];

export function looksBinary(beginning: Uint8Array): boolean {
  let zeros = 0;
  let run = 0;
  for (const byte of beginning) {
    if (byte === 0) {
      zeros += 1;
      run += 1;
      if (run > 2) return true;
      continue;
    }
    run = 0;
    if (byte === 127 || (byte < 32 && !ofText.includes(byte))) return true;
  }
  return zeros * 3 > beginning.length || !isText(beginning);
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
