declare module "*/files.json" {
  const files: Record<string, Record<string, string>>;
  export default files;
}
