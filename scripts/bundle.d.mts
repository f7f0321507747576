export function bundle(options: {
  readonly entries: Readonly<Record<string, string>>;
  readonly outDir: string;
  readonly features: Readonly<Record<string, boolean>>;
  readonly scripts?: boolean;
  readonly apart?: Readonly<Record<string, string>>;
  readonly derived?: Readonly<Record<string, { readonly jsonSchema?: object; readonly schemaHash?: string }>>;
}): Promise<readonly { readonly fileName: string; readonly modules: readonly string[] }[]>;
