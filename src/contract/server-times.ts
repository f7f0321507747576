/** How long an MCP server has, in milliseconds. */
export const startMs = 30_000;
/** A first start may have to download all of it. */
export const fetchMs = 180_000;
/** For a call of a tool, where its entry says nothing else. */
export const callMs = 120_000;
/** For anything else that is asked of it. */
export const requestMs = 120_000;
