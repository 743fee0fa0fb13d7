// In a generated folder, this file has the source of that package instead.
export * from '@contract-first/formats'
