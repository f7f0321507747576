export const features: readonly string[];
export function featuresWithout(without: string | undefined): Readonly<Record<string, boolean>>;
