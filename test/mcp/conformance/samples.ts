/** One red pixel. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** No sound at all, as a WAV file. */
export const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export const imageContent = { type: "image", data: png, mimeType: "image/png" } as const;

export function textContent(text: string) {
  return { type: "text", text } as const;
}

export function textResult(text: string) {
  return { content: [textContent(text)] };
}
