import type { Tool } from "../../contract/tool.ts";
import { readArtifact } from "./read-artifact.ts";

export const artifactTools: readonly Tool[] = [readArtifact];
