import process from "node:process";
import { lazy } from "../base/async.ts";

/*
 * Node's own HTTP. An import of these modules asks for everything they export, among it a second HTTP client that
 * is loaded only when asked for: some 10 ms and 9 MB that a start does not need.
 */
export const http = process.getBuiltinModule("node:http");
export const https = lazy(() => process.getBuiltinModule("node:https"));
