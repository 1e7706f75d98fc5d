// The entry points import this before anything uses the thread pool. Of the whole process's threads, at most half resolve
// names. With the default of four threads, two lookups that hang would block the lookups of everybody. So there is one thread
// for each request that may be in flight by default, and as many again. An idle thread costs some 10 kB.
process.env.UV_THREADPOOL_SIZE ??= '128'
