import type { BrokenServer, LayerName, SettingsFile } from "../contract/settings.ts";
import type { Offer } from "./project-offers.ts";

export interface Layer {
  readonly name: LayerName;
  readonly path: string;
  readonly hash: string;
  readonly file: SettingsFile;
  /** Of a project: what would run or widen. */
  readonly offers: readonly Offer[];
  /** Servers of the file that cannot be read. */
  readonly broken: readonly BrokenServer[];
}
