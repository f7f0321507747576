/** Kept equal to package.json by a test, so that `--version` reads no file. */
export const version = "0.2.0";
