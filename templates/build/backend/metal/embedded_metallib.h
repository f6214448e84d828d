// The kernel's shaders, which are a part of this library. Written by kernel-builder.
#pragma once

#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <cstddef>

extern "C" const unsigned char kernel_builder_metallib[];
extern "C" const unsigned char kernel_builder_metallib_end[];

namespace EMBEDDED_METALLIB_NAMESPACE {

static const unsigned char* const metallib_data = kernel_builder_metallib;
static const std::size_t metallib_data_len =
    static_cast<std::size_t>(kernel_builder_metallib_end - kernel_builder_metallib);

// The library for a device; the bytes are used where they are.
static inline id<MTLLibrary> createLibrary(id<MTLDevice> device, NSError** error) {
  dispatch_data_t data = dispatch_data_create(kernel_builder_metallib, metallib_data_len, nullptr, ^{});
  return [device newLibraryWithData:data error:error];
}

}  // namespace EMBEDDED_METALLIB_NAMESPACE
