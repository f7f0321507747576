/** A whole number with its thousands apart. `toLocaleString` brings the tables of all languages: 10 ms of a start. */
export function groupedNumber(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
