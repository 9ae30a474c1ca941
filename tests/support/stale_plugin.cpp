// What a plug-in looks like that was built for another version of Tandem.
namespace {

struct Plugin {
    const char* tandem_version;
    long compiler_interface;
    void (*add)(void*);
};

}  // namespace

extern "C" const void* tandem_plugin() {
    static const Plugin plugin = {"0.0.1", 0, nullptr};
    return &plugin;
}
