import { InvalidArgumentError } from "commander";

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (amount === undefined || !isUnit(unit, milliseconds))
    throw new InvalidArgumentError("Expected an age such as 30d, 12h or 90m.");
  return Number(amount) * milliseconds[unit];
}

const byteUnits = {
  "": 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
} as const;

export function byteAmount(text: string): number {
  const [, amount, unit] = /^(\d{1,12})\s*([A-Za-z]*)$/.exec(text) ?? [];
  if (amount === undefined || !isUnit(unit, byteUnits))
    throw new InvalidArgumentError("Expected a size such as 500MiB or 2GiB.");
  return Number(amount) * byteUnits[unit];
}

function isUnit<Units extends object>(unit: string | undefined, units: Units): unit is Extract<keyof Units, string> {
  return unit !== undefined && Object.hasOwn(units, unit);
}
