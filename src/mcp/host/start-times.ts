export const startMs = 30_000;
/** A first start may have to download all of it. */
export const fetchMs = 180_000;
